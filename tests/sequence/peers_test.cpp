// SPDX-License-Identifier: BSL-1.0
// Inputs at which other partitioners go wrong, each with what they do in its name.
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/cost/sent_at_cuts.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_bottleneck_then.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_total.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "enumeration.hpp"

using stagecut::cuts;
using stagecut::empty_stages;
using stagecut::minimize_bottleneck;
using stagecut::prefix_sums;

namespace {

/// The best cut, after it was compared with all others: its ends are those of the chain, no stage is empty, no item is
/// in two stages, and no cut is better.
template <class T>
cuts best(const std::vector<T>& items, std::size_t k) {
  const prefix_sums cost(items);
  const auto answer = minimize_bottleneck(cost, k);
  REQUIRE(
      oracle::agree(answer, oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything, oracle::worst)));
  REQUIRE(answer->cuts[0] == 0);
  REQUIRE(answer->cuts.items() == items.size());
  REQUIRE(answer->cuts.stages() == k);
  for (const std::size_t size : answer->cuts.sizes()) REQUIRE(size > 0);
  return answer->cuts;
}

/// The dynamic program that keeps one best beginning for each number of items and stages, whatever the objective.
template <class Cost, class One, class Join>
auto one_state_program(std::size_t n, std::size_t k, const Cost& cost, const One& one, const Join& join) {
  using value = std::remove_cvref_t<decltype(one(cost(0, n)))>;
  std::vector<std::optional<value>> before(n + 1);
  for (std::size_t i = 1; i <= n; ++i) before[i] = one(cost(0, i));
  for (std::size_t s = 1; s < k; ++s) {
    std::vector<std::optional<value>> next(n + 1);
    for (std::size_t i = s + 1; i <= n; ++i) {
      for (std::size_t j = s; j < i; ++j) {
        auto here = join(*before[j], one(cost(j, i)));
        if (!next[i] || here < *next[i]) next[i] = here;
      }
    }
    before = next;
  }
  return *before[n];
}

/// Compared by their distance.
struct extremes {
  std::int64_t least;
  std::int64_t most;
  friend bool operator<(const extremes& a, const extremes& b) { return a.most - a.least < b.most - b.least; }
};

}  // namespace

TEST_CASE("torchgpipe and fairscale leave equal layers where they were, and the rest to the last stage") {
  CHECK(best(std::vector<int>(7, 1), 4) == cuts{0, 1, 3, 5, 7});  // [1, 1, 1, 4] there
  const prefix_sums<int> many(std::vector<int>(127, 1));
  const auto answer = minimize_bottleneck(many, 64);  // 64 there
  CHECK(answer->value == 2);
  for (const std::size_t size : answer->cuts.sizes()) CHECK((size == 1 || size == 2));
  CHECK(answer->cuts.items() == 127);
  const std::vector<int> nearly{100, 100, 100, 100, 100, 100, 101};
  CHECK(minimize_bottleneck(prefix_sums(nearly), 4)->value == 200);  // 401 there
  CHECK(best(nearly, 4).stages() == 4);
  CHECK(minimize_bottleneck(prefix_sums{5, 1, 1, 1, 1, 1, 1, 1, 1}, 3)->value == 5);  // 7 there
}

TEST_CASE("torchgpipe and fairscale give layers to two stages") {
  CHECK(minimize_bottleneck(prefix_sums{1, 2, 1, 1, 2, 1, 9}, 5)->value == 9);
  for (const auto& [items, k] : std::vector<std::pair<std::vector<int>, std::size_t>>{
           {{1, 2, 1, 1, 2, 1, 9}, 5}, {{0, 0, 1, 0, 0, 1, 0, 0, 1}, 5}, {{0, 0, 0, 7, 0, 0, 7}, 4}}) {
    CHECK(best(items, k).assignment().size() == items.size());
  }
}

TEST_CASE("torchgpipe and fairscale never end") {
  CHECK(best(std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1}, 5).stages() == 5);
  CHECK(minimize_bottleneck(prefix_sums{0, 0, 0, 0, 0, 0, 1, 1}, 5)->value == 1);
  CHECK(best(std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0}, 5).stages() == 5);
  // Nor with values that are not numbers; the error gives the position.
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, infinity, -1.0}) {
    std::string told;
    try {
      (void)prefix_sums(std::vector<double>{1, 2, wrong, 3});
    } catch (const stagecut::invalid_input& error) {
      told = error.what();
    }
    CHECK(told.find('2') != std::string::npos);
  }
}

TEST_CASE("old DeepSpeed puts everything into the first stage where costs are in seconds") {
  const std::vector<double> items(8, 1e-4);
  CHECK(best(items, 4) == cuts{0, 2, 4, 6, 8});  // [0, 7, 8, 8, 8] there
  CHECK(minimize_bottleneck(prefix_sums(items), 4)->value == doctest::Approx(2e-4));
}

TEST_CASE("old DeepSpeed never ends where the bottleneck is above 2^44") {
  for (const double unit : {0x1p45, 1e15, 3e200}) {
    const std::vector<double> items{3 * unit, unit, 2 * unit, unit, 2 * unit, 5 * unit};
    CHECK(best(items, 3) == cuts{0, 2, 5, 6});
  }
  CHECK(best(std::vector<std::int64_t>{std::int64_t{1} << 60, std::int64_t{1} << 61, 7, std::int64_t{1} << 60}, 3) ==
        cuts{0, 1, 2, 4});
}

TEST_CASE("old DeepSpeed takes a heavy head for the sum of the chain, and leaves stages empty") {
  CHECK(best(std::vector<int>{10, 1, 1, 1}, 2) == cuts{0, 1, 4});  // [0, 0, 4] there
  CHECK(minimize_bottleneck(prefix_sums{10, 1, 1, 1}, 2)->value == 10);
  CHECK(best(std::vector<int>{30, 1, 1, 1, 1, 1}, 3) == cuts{0, 1, 2, 6});  // [0, 0, 6, 6] there
  CHECK(minimize_bottleneck(prefix_sums{30, 1, 1, 1, 1, 1}, 3)->value == 30);
  const auto many = minimize_bottleneck(prefix_sums<int>(std::vector<int>(42, 1)), 16);
  CHECK(many->value == 3);
  for (const std::size_t size : many->cuts.sizes()) CHECK(size > 0);
}

TEST_CASE("DeepSpeed takes no stage for all of them, and more than there are layers for empty ones") {
  CHECK_THROWS_AS((void)minimize_bottleneck(prefix_sums{1, 1}, 0), stagecut::argument_error);
  const auto none = minimize_bottleneck(prefix_sums{1, 1}, 4);
  CHECK(none.why().text() == "4 stages need at least 4 layers, and there are 2");
  const auto asked_for = minimize_bottleneck(prefix_sums{1, 1}, 4, empty_stages::allowed);
  CHECK(asked_for->value == 1);
  CHECK(asked_for->cuts.stages() == 4);
}

TEST_CASE("new DeepSpeed keeps one pair of extremes, which is not the least range") {
  const std::vector<std::int64_t> items{16, 19, 3, 24, 16, 25, 24};
  const prefix_sums cost(items);
  const auto kept = one_state_program(
      items.size(), 4, cost,
      [](std::int64_t stage) {
        return extremes{stage, stage};
      },
      [](const extremes& a, const extremes& b) {
        return extremes{std::min(a.least, b.least), std::max(a.most, b.most)};
      });
  CHECK(kept.most - kept.least == 17);
  const auto answer = stagecut::minimize_range(cost, 4);
  CHECK(answer->value == 16);
  CHECK(oracle::agree(answer, oracle::best_cut_of(cost, 4, empty_stages::forbidden, oracle::anything, oracle::spread)));
  // And asks for the least range where a pipeline needs the least bottleneck.
  CHECK(minimize_bottleneck(cost, 4)->value <= kept.most);
}

TEST_CASE("PyTorch's proposal does not see messages when it cuts") {
  const prefix_sums work{3.0, 3.0, 3.0, 3.0};
  const stagecut::added_cuts cost(work, {{4, 10, 1, 0}, {{0, 1}}});
  const cuts by_work = minimize_bottleneck(work, 2)->cuts;
  CHECK(by_work == cuts{0, 2, 4});
  CHECK(cost(0, 0, 2) == 16);
  const auto answer = minimize_bottleneck(cost, 2);
  CHECK(answer->value == 10);
  CHECK(answer->cuts == cuts{0, 3, 4});
}

TEST_CASE("ChainPartitioners bisects for ever between neighbouring doubles") {
  CHECK(minimize_bottleneck(prefix_sums{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, 2)->value == 11);
  CHECK(best(std::vector<double>{1, 2, 3, 4, 5, 6}, 2) == cuts{0, 4, 6});
  CHECK(best(std::vector<double>{0.1, 0.2, 0.3, 0.4}, 2) == cuts{0, 3, 4});
}

TEST_CASE("ChainPartitioners returns cuts that break a constraint where none keeps it") {
  const prefix_sums cost{1, 2, 9, 1};
  const auto none = minimize_bottleneck(cost, 2, stagecut::at_most(cost, 8));
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().place == "item 2 alone costs more than the 8 that a stage may cost: 9");
}

TEST_CASE("ChainPartitioners turns integers above 2^53 into doubles") {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  CHECK(minimize_bottleneck(prefix_sums{large, std::int64_t{1}, large}, 2)->value == large + 1);
}

TEST_CASE("SARMA refuses floating point, does not look at the number of stages, and leaves stages empty") {
  CHECK(best(std::vector<double>{10.0001, 10.0001, 10.0002, 10.0001}, 2) == cuts{0, 2, 4});
  CHECK(best(std::vector<int>{0, 0, 0, 50}, 2) == cuts{0, 1, 4});  // [0, 4, 4] there
  CHECK(best(std::vector<int>{1, 2, 3, 45, 12, 54, 13, 99, 12}, 6).stages() == 6);
  CHECK(minimize_bottleneck(prefix_sums{1, 2, 3, 45, 12, 54, 13, 99, 12}, 6)->value == 99);
  CHECK_THROWS_AS((void)minimize_bottleneck(prefix_sums{1, 2}, 0), stagecut::argument_error);
  CHECK(!minimize_bottleneck(prefix_sums<int>(), 1));
}

TEST_CASE("the longest stage first is wrong where stages differ and none may be empty") {
  // Two fast devices behind a slow one: the first takes as much as it may, and then the last one is left with too much.
  const prefix_sums work{1.0, 1.0, 5.0, 1.0};
  const stagecut::at_most cap(work, std::vector<double>{2, 1, 10});
  const auto answer = minimize_bottleneck(stagecut::at_speeds(work, {1, 1, 1}), 3, cap);
  CHECK(answer->cuts == cuts{0, 1, 2, 4});
  CHECK(!cap(1, 2, 3));  // behind the longest first stage
}

TEST_CASE("Alpa keeps one state of a maximum and then a sum, which is not the least of both") {
  const std::vector<std::int64_t> items{2, 1, 1, 3};
  const std::vector<std::int64_t> bytes{2, 1, 1, 0};
  const prefix_sums cost(items);
  using pair = std::pair<std::int64_t, std::int64_t>;
  const auto kept = one_state_program(
      4, 3, [&](std::size_t i, std::size_t j) { return pair(cost(i, j), bytes[j - 1]); },
      [](const pair& stage) { return stage; },
      [](const pair& a, const pair& b) { return pair(std::max(a.first, b.first), a.second + b.second); });
  CHECK(kept == pair(3, 3));
  const stagecut::sent_at_cuts sent(bytes);
  const auto answer = stagecut::minimize_bottleneck_then(
      cost, 3, [&](const auto& within) { return stagecut::minimize_total(sent, 3, within); });
  CHECK(answer->bottleneck == 3);
  CHECK(answer->best.value == 2);
  CHECK(answer->best.cuts == cuts{0, 2, 3, 4});
}

TEST_CASE("Alpa's even cut returns fewer stages than it was asked for") {
  CHECK(best(std::vector<int>{1, 1, 1, 97}, 4) == cuts{0, 1, 2, 3, 4});
}

TEST_CASE("fairscale's offload gives models without parameters, and heavy tails, to one stage") {
  CHECK(best(std::vector<int>{0, 0, 0, 0}, 3) == cuts{0, 1, 2, 4});
  CHECK(best(std::vector<int>{1, 1, 1, 1, 8}, 3) == cuts{0, 1, 4, 5});
}
