// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/reach_chain.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "enumeration.hpp"
#include "random_models.hpp"

namespace detail = stagecut::detail;
using stagecut::empty_stages;
using stagecut::prefix_sums;

namespace {

template <class Model>
using chain = detail::reach_chain<Model, detail::no_constraint>;

using sums = prefix_sums<double>;

// What is known of the growth of each cost.
static_assert(chain<stagecut::at_speeds<sums>>::right && chain<stagecut::at_speeds<sums>>::left);
static_assert(chain<stagecut::overlapped_cuts<sums>>::right && chain<stagecut::overlapped_cuts<sums>>::left);
static_assert(chain<stagecut::overlapped_cuts<sums>>::overlapped && !chain<stagecut::at_speeds<sums>>::overlapped);
static_assert(!chain<stagecut::added_cuts<sums>>::right && !chain<stagecut::added_cuts<sums>>::left);
static_assert(chain<stagecut::testing::left_monotone_archetype>::left &&
              !chain<stagecut::testing::left_monotone_archetype>::right);

}  // namespace

TEST_CASE("no cut costs less than the least, and nothing more than the greatest") {
  models::generator random(1);
  int tight = 0;
  const auto check = [&](const auto& cost, std::size_t k) {
    for (const auto empty : {empty_stages::forbidden, empty_stages::allowed}) {
      const detail::no_constraint none;
      const chain<std::remove_cvref_t<decltype(cost)>> of{cost, none, empty == empty_stages::allowed ? 0U : 1U};
      const auto best = oracle::best_cut_of(cost, k, empty, none, oracle::worst);
      REQUIRE(!(best->second < of.least(k)));
      REQUIRE(best->second <= detail::greatest<stagecut::cost_t<std::remove_cvref_t<decltype(cost)>>>());
      tight += of.least(k) == best->second ? 1 : 0;
    }
  };
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = 1 + random() % 5;
    const std::size_t k = 1 + random() % n;
    const sums work(models::random_items<double>(random, n));
    const auto times = models::random_times(random, n, k);
    check(models::random_table<std::int64_t, true, stagecut::right_monotone>(random, n, k), k);
    check(models::random_table<std::int64_t, true, stagecut::left_monotone>(random, n, k), k);
    check(models::random_table<double, true, stagecut::monotone>(random, n, k), k);
    check(stagecut::at_speeds(work, models::random_speeds(random, k)), k);
    check(stagecut::added_cuts(work, times), k);
    check(stagecut::overlapped_cuts(work, times), k);
  }
  CHECK(tight > 1000);
}

TEST_CASE("bounds that everything keeps") {
  CHECK(detail::greatest<double>() == std::numeric_limits<double>::infinity());
  CHECK(detail::greatest<float>() == std::numeric_limits<float>::infinity());
  CHECK(detail::greatest<std::int8_t>() == 127);
  CHECK(detail::greatest<std::uint64_t>() == ~std::uint64_t{0});
}

TEST_CASE("sets of first items") {
  detail::reach_sets where(5, 2);
  CHECK(where.items() == 5);
  CHECK(where.stages() == 2);
  CHECK(where.at(2, 5));
  CHECK(!where.at(2, 4));
  where.lowest[1] = 2;
  where.highest[1] = 4;
  where.begins[1] = {1, 0, 1};
  CHECK(!where.at(1, 1));
  CHECK(where.at(1, 2));
  CHECK(!where.at(1, 3));
  CHECK(where.at(1, 4));
  CHECK(!where.at(1, 5));
}

TEST_CASE("the parts of separable costs, whether stages differ or not") {
  const stagecut::testing::separable_archetype staged(6);
  CHECK(detail::separable_end(staged, 1, 2) - detail::separable_begin(staged, 1, 0) == staged(1, 0, 2));
  struct same {
    using axioms = stagecut::axioms<stagecut::separable>;
    [[nodiscard]] static std::size_t size() { return 3; }
    [[nodiscard]] static int end(std::size_t last) { return static_cast<int>(last) + 4; }
    [[nodiscard]] static int begin(std::size_t first) { return static_cast<int>(first); }
    int operator()(std::size_t first, std::size_t last) const { return end(last) - begin(first); }
  };
  CHECK(detail::separable_end(same(), 7, 2) == 6);
  CHECK(detail::separable_begin(same(), 7, 2) == 2);
}

namespace {

/// A member that happens to be called `work`, and says nothing of the cost.
struct named_work {
  using axioms = stagecut::axioms<stagecut::right_monotone>;
  [[nodiscard]] static std::size_t size() { return 3; }
  [[nodiscard]] static int work(std::size_t, std::size_t, std::size_t) { return -1; }
  int operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return static_cast<int>((stage + 1) * (last - first));
  }
};

}  // namespace

TEST_CASE("work is asked for only where the concept says what it is") {
  const named_work model;
  const auto every = [](std::size_t, std::size_t, std::size_t) { return true; };
  const detail::reach_chain<named_work, decltype(every)> chain{model, every, 1};
  CHECK(!chain.worked);
  CHECK(chain.work(1, 0, 2) == 4);
  CHECK(chain.beside_messages(1, 0, 2) == 4);
  CHECK(chain.least(3) == 1);
}
