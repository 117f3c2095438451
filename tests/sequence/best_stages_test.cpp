// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/best_stages.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/fewest_stages.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using stagecut::best_stages;
using stagecut::outcome;
using stagecut::prefix_sums;
using stagecut::reason;
using stagecut::state;
using list = std::vector<std::size_t>;

namespace {

/// An answer for some numbers of stages only: ten times that number.
struct some {
  list with_answer;
  list* asked;
  list doubtful = {};

  outcome<std::size_t> operator()(std::size_t stages) const {
    asked->push_back(stages);
    const auto holds = [&](const list& of) { return std::find(of.begin(), of.end(), stages) != of.end(); };
    const bool proved = !holds(doubtful);
    if (holds(with_answer)) {
      return proved ? outcome<std::size_t>::optimal(10 * stages) : outcome<std::size_t>::feasible(10 * stages);
    }
    const reason why{reason::cause::constraint, stages, 0, "not " + std::to_string(stages)};
    return proved ? outcome<std::size_t>::infeasible(why) : outcome<std::size_t>::unknown(why);
  }
};

}  // namespace

TEST_CASE("every number is tried once where the best is asked for") {
  list asked;
  const some solve{{2, 5, 7}, &asked};
  const auto best = best_stages(1, 8, solve, [](std::size_t, std::size_t answer) { return -static_cast<int>(answer); });
  CHECK(asked == list{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(best.state() == state::optimal);
  CHECK(best->stages == 7);
  CHECK(best->answer == 70);
  CHECK(best->value == -70);
  CHECK(best->failed == list{1, 3, 4, 6, 8});
}

TEST_CASE("none is tried above the fewest") {
  list asked;
  const auto best = best_stages(3, 8, some{{2, 5, 7}, &asked});
  CHECK(asked == list{3, 4, 5});
  CHECK(best.state() == state::optimal);
  CHECK(best->stages == 5);
  CHECK(best->value == 5);
  CHECK(best->answer == 50);
  CHECK(best->failed == list{3, 4});
}

TEST_CASE("of equal values the fewest stages") {
  list asked;
  const auto best = best_stages(1, 6, some{{2, 4, 6}, &asked}, [](std::size_t, std::size_t) { return 1.0; });
  CHECK(best->stages == 2);
  CHECK(best->failed == list{1, 3, 5});
}

TEST_CASE("what is not proved of one number is not proved of the best") {
  list asked;
  const auto value = [](std::size_t stages, std::size_t) { return stages; };
  CHECK(best_stages(1, 4, some{{2}, &asked, {2}}, value).state() == state::feasible);
  CHECK(best_stages(1, 4, some{{2}, &asked, {4}}, value).state() == state::feasible);
  CHECK(best_stages(1, 4, some{{2}, &asked, {4}}).state() == state::optimal);  // 4 is not tried
  CHECK(best_stages(1, 4, some{{2}, &asked, {1}}).state() == state::feasible);
  CHECK(best_stages(1, 4, some{{}, &asked, {3}}).state() == state::unknown);
  const auto none = best_stages(2, 4, some{{}, &asked});
  CHECK(none.state() == state::infeasible);
  CHECK(none.why().text() == "none of 3 combinations: 2 stages: no cut keeps to the constraint: not 2");
}

TEST_CASE("the ends of the numbers tried") {
  list asked;
  CHECK(best_stages(4, 4, some{{4}, &asked})->stages == 4);
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  CHECK(!best_stages(most - 1, most, some{{}, &asked}));
  CHECK(asked == list{4, most - 1, most});
  asked.clear();
  CHECK_THROWS_WITH_AS((void)best_stages(0, 4, some{{4}, &asked}),
                       "stagecut::best_stages: least = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)best_stages(4, 3, some{{4}, &asked}),
                       "stagecut::best_stages: most = 3, must not be below least, 4", stagecut::argument_error);
  CHECK(asked.empty());
  CHECK_THROWS_AS((void)best_stages(1, 2, [](std::size_t) -> outcome<int> { throw std::runtime_error("no"); }),
                  std::runtime_error);
}

TEST_CASE("answers that can only be moved") {
  const auto best = best_stages(
      1, 3, [](std::size_t k) { return outcome<std::unique_ptr<int>>::optimal(std::make_unique<int>(int(k))); },
      [](std::size_t, const std::unique_ptr<int>& answer) { return -*answer; });
  CHECK(best->stages == 3);
  CHECK(*best->answer == 3);
}

TEST_CASE("under 1F1B more stages keep more, so that fewer may fit where more do not, and the other way round") {
  // Stage s of k keeps k - s microbatches of the activations of its items, in addition to their weights.
  const std::size_t n = 8;
  models::generator random(1);
  int gaps = 0;
  int found = 0;
  for (int round = 0; round < 4000; ++round) {
    const prefix_sums time(models::random_items<std::int64_t>(random, n));
    const prefix_sums weights(models::random_items<std::int64_t>(random, n));
    const prefix_sums kept(models::random_items<std::int64_t>(random, n));
    const auto capacity = static_cast<std::int64_t>(20 + random() % 200);
    const auto fits = [&](std::size_t k) {
      return [&, k](std::size_t s, std::size_t i, std::size_t j) {
        return weights(i, j) + static_cast<std::int64_t>(k - s) * kept(i, j) <= capacity;
      };
    };
    const auto solve = [&](std::size_t k) { return stagecut::minimize_bottleneck(time, k, fits(k)); };
    // The time of a batch of 8 microbatches.
    const auto value = [](std::size_t k, const stagecut::chain_partition<std::int64_t>& answer) {
      return answer.value * static_cast<std::int64_t>(8 + k - 1);
    };
    const auto best = best_stages(1, n, solve, value);
    const auto first = best_stages(1, n, solve);
    list failed;
    std::size_t expected = 0;
    std::size_t fewest = 0;
    std::int64_t least = 0;
    for (std::size_t k = 1; k <= n; ++k) {
      const auto cut = oracle::best_cut_of(time, k, stagecut::empty_stages::forbidden, fits(k), oracle::worst);
      if (!cut) {
        failed.push_back(k);
        continue;
      }
      const std::int64_t here = cut->second * static_cast<std::int64_t>(8 + k - 1);
      if (fewest == 0) fewest = k;
      if (expected == 0 || here < least) expected = k, least = here;
    }
    REQUIRE(best.has_value() == (expected != 0));
    REQUIRE(first.has_value() == (expected != 0));
    if (!best) continue;
    ++found;
    REQUIRE(best->stages == expected);
    REQUIRE(best->value == least);
    REQUIRE(best->failed == failed);
    REQUIRE(first->stages == fewest);
    for (const std::size_t k : failed) gaps += fewest < k ? 1 : 0;
  }
  CHECK(found > 1000);
  CHECK(gaps > 100);  // a search that halves the numbers would err
}
