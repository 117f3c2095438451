// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/cost/sent_at_cuts.hpp>
#include <stagecut/sequence/detail/reach_probe.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bottleneck_tally.hpp"
#include "enumeration.hpp"
#include "random_models.hpp"

namespace detail = stagecut::detail;
using stagecut::empty_stages;
using stagecut::minimize_bottleneck;
using stagecut::prefix_sums;

namespace {

constexpr int instances = 20'000;

template <class Model>
void compare(const Model& cost, std::size_t k, empty_stages empty, tally& seen) {
  const bool answered = oracle::agree(minimize_bottleneck(cost, k, empty),
                                      oracle::best_cut_of(cost, k, empty, oracle::anything, oracle::worst));
  ++(answered ? seen.feasible : seen.infeasible);
}

/// Lengths of chains and numbers of stages; above the length where stages may be empty.
struct shape {
  std::size_t n;
  std::size_t k;
  empty_stages empty;

  explicit shape(models::generator& random) : n(1 + random() % 8), k(1 + random() % n), empty(empty_stages::forbidden) {
    if (random() % 2 == 0) return;
    empty = empty_stages::allowed;
    n = 1 + random() % 6;
    k = 1 + random() % (n < 5 ? n + 2 : 5);
  }
};

template <class Make>
tally random_instances(std::uint64_t seed, Make make) {
  models::generator random(seed);
  tally seen;
  for (int i = 0; i < instances; ++i) make(random, shape(random), seen);
  return seen;
}

/// With no constraint, and with a hereditary one. How many had an answer.
template <class Cost, bool Staged, auto... Promised>
int tables(std::uint64_t seed) {
  const tally seen = random_instances(seed, [](models::generator& random, shape form, tally& count) {
    const auto cost = models::random_table<Cost, Staged, Promised...>(random, form.n, form.k);
    if (random() % 2 == 0) return compare(cost, form.k, form.empty, count);
    compare(cost, form.k, models::random_permits<stagecut::hereditary>(random, form.n, form.k), form.empty, count);
  });
  CHECK(seen.infeasible > instances / 50);
  return seen.feasible;
}

}  // namespace

TEST_CASE_TEMPLATE("costs that grow to the right equal enumeration", T, std::int64_t, double) {
  CHECK(tables<T, false, stagecut::right_monotone>(1) > instances / 2);
  CHECK(tables<T, true, stagecut::right_monotone>(2) > instances / 2);
}
TEST_CASE_TEMPLATE("costs that grow to the left equal enumeration", T, std::int64_t, double) {
  CHECK(tables<T, false, stagecut::left_monotone>(3) > instances / 2);
  CHECK(tables<T, true, stagecut::left_monotone>(4) > instances / 2);
}
TEST_CASE_TEMPLATE("costs that grow to both sides, where stages differ or may be empty, equal enumeration", T,
                   std::int64_t, double, float) {
  CHECK(tables<T, false, stagecut::monotone>(5) > instances / 2);
  CHECK(tables<T, true, stagecut::monotone>(6) > instances / 2);
}

namespace {

/// The same table with other costs.
template <class T, bool Staged, auto... Promised, class Map>
auto mapped(const models::table<std::int64_t, Staged, Promised...>& from, Map map) {
  models::table<T, Staged, Promised...> result{from.items, {}};
  for (const auto& stage : from.entries) {
    result.entries.emplace_back();
    for (const std::int64_t level : stage) result.entries.back().push_back(map(level));
  }
  return result;
}

template <auto... Promised>
int at_the_ends(std::uint64_t seed) {
  const tally seen = random_instances(seed, [](models::generator& random, shape form, tally& count) {
    const auto levels = models::random_table<std::int64_t, true, Promised...>(random, form.n, form.k);
    using limits = std::numeric_limits<std::int64_t>;
    const double infinity = std::numeric_limits<double>::infinity();
    switch (random() % 5) {
      case 0:
        return compare(mapped<std::int64_t>(levels, [](auto level) { return limits::min() + 5 + level; }), form.k,
                       form.empty, count);
      case 1:
        return compare(mapped<std::int64_t>(levels, [](auto level) { return limits::max() - 500 + level; }), form.k,
                       form.empty, count);
      case 2:
        return compare(mapped<double>(levels,
                                      [=](auto level) {
                                        return level > 6 ? infinity : level < 0 ? -infinity : double(level);
                                      }),
                       form.k, form.empty, count);
      case 3:
        return compare(mapped<double>(levels, [](auto level) { return std::ldexp(1.0, int(20 * level)); }), form.k,
                       form.empty, count);
      default:
        return compare(mapped<std::int8_t>(
                           levels, [](auto level) { return static_cast<std::int8_t>(level > 9 ? 127 : level - 100); }),
                       form.k, form.empty, count);
    }
  });
  return seen.feasible;
}

}  // namespace

TEST_CASE("costs at the ends of their range, and infinite ones, equal enumeration") {
  CHECK(at_the_ends<stagecut::monotone>(14) > instances / 2);
  CHECK(at_the_ends<stagecut::right_monotone>(15) > instances / 2);
  CHECK(at_the_ends<stagecut::left_monotone>(16) > instances / 2);
}

TEST_CASE_TEMPLATE("sums at the speeds of their stages equal enumeration", T, std::int64_t, double) {
  const tally seen = random_instances(7, [](models::generator& random, shape form, tally& count) {
    const prefix_sums sums(models::random_items<T>(random, form.n));
    const stagecut::at_speeds cost(sums, models::random_speeds(random, form.k));
    compare(cost, form.k, form.empty, count);
    compare(cost, form.k, models::random_permits<stagecut::hereditary>(random, form.n, form.k), form.empty, count);
  });
  CHECK(seen.feasible > instances);
}

TEST_CASE("the longest stage may be the wrong one under caps that differ") {
  const prefix_sums<std::int64_t> cost{1, 1, 5, 1};
  const stagecut::at_most cap(cost, std::vector<std::int64_t>{2, 1, 10});
  const stagecut::at_speeds staged(cost, {1, 1, 1});
  tally seen;
  // After the longest first stage, 1 1, the second may hold no 5.
  compare(cost, 3, cap, empty_stages::forbidden, seen);
  compare(staged, 3, cap, empty_stages::forbidden, seen);
  CHECK(minimize_bottleneck(cost, 3, cap)->cuts == stagecut::cuts{0, 1, 2, 4});
  CHECK(minimize_bottleneck(staged, 3, cap)->cuts == stagecut::cuts{0, 1, 2, 4});
  // With an empty second stage the longest first one would do.
  compare(cost, 3, cap, empty_stages::allowed, seen);
  compare(staged, 3, cap, empty_stages::allowed, seen);
  CHECK(minimize_bottleneck(staged, 3, cap, empty_stages::allowed)->value == 6);
  CHECK(seen.feasible == 4);
}

TEST_CASE_TEMPLATE("caps of a second weight that differ by stage equal enumeration", T, std::int64_t, double) {
  const tally seen = random_instances(8, [](models::generator& random, shape form, tally& count) {
    const prefix_sums cost(models::random_items<T>(random, form.n));
    const prefix_sums weights(models::random_items<std::int64_t>(random, form.n));
    std::vector<std::int64_t> bounds(form.k);
    for (auto& bound : bounds) bound = static_cast<std::int64_t>(random() % 40);
    const stagecut::at_most cap(weights, bounds);
    compare(cost, form.k, cap, form.empty, count);
    compare(stagecut::at_speeds(cost, models::random_speeds(random, form.k)), form.k, cap, form.empty, count);
  });
  CHECK(seen.feasible > instances / 2);
  CHECK(seen.infeasible > instances / 20);
}

TEST_CASE("messages that add to the work equal enumeration") {
  const tally seen = random_instances(9, [](models::generator& random, shape form, tally& count) {
    const prefix_sums sums(models::random_items<double>(random, form.n));
    const auto times = models::random_times(random, form.n, form.k);
    const bool fast = random() % 2 == 0;
    const stagecut::added_cuts cost = fast ? stagecut::added_cuts(sums, times, models::random_speeds(random, form.k))
                                           : stagecut::added_cuts(sums, times);
    compare(cost, form.k, form.empty, count);
    compare(cost, form.k, models::random_permits<stagecut::hereditary>(random, form.n, form.k), form.empty, count);
  });
  CHECK(seen.feasible > instances);
}

TEST_CASE("messages beside the work equal enumeration") {
  const tally seen = random_instances(10, [](models::generator& random, shape form, tally& count) {
    const prefix_sums sums(models::random_items<double>(random, form.n));
    const auto times = models::random_times(random, form.n, form.k);
    const bool fast = random() % 2 == 0;
    const stagecut::overlapped_cuts cost =
        fast ? stagecut::overlapped_cuts(sums, times, models::random_speeds(random, form.k))
             : stagecut::overlapped_cuts(sums, times);
    compare(cost, form.k, form.empty, count);
    compare(cost, form.k, models::random_permits<stagecut::hereditary>(random, form.n, form.k), form.empty, count);
  });
  CHECK(seen.feasible > instances);
}

namespace {

/// Any two parts, also below zero and of different stages.
template <class T>
struct two_parts {
  using axioms = stagecut::axioms<stagecut::separable>;
  std::size_t items;
  std::vector<std::vector<T>> ends;
  std::vector<std::vector<T>> begins;

  two_parts(models::generator& random, std::size_t n, std::size_t stages) : items(n) {
    const auto draw = [&] {
      std::vector<T> values(n + 1);
      for (T& value : values) value = models::as_cost<T>(static_cast<std::int64_t>(random() % 30) - 15);
      return values;
    };
    for (std::size_t s = 0; s < stages; ++s) {
      ends.push_back(draw());
      begins.push_back(draw());
    }
  }
  [[nodiscard]] std::size_t size() const { return items; }
  [[nodiscard]] T end(std::size_t stage, std::size_t last) const { return ends[stage][last]; }
  [[nodiscard]] T begin(std::size_t stage, std::size_t first) const { return begins[stage][first]; }
  T operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return end(stage, last) - begin(stage, first);
  }
};

/// The same for all stages.
struct same_parts {
  using axioms = stagecut::axioms<stagecut::separable>;
  two_parts<std::int64_t> one;

  [[nodiscard]] std::size_t size() const { return one.size(); }
  [[nodiscard]] std::int64_t end(std::size_t last) const { return one.end(0, last); }
  [[nodiscard]] std::int64_t begin(std::size_t first) const { return one.begin(0, first); }
  std::int64_t operator()(std::size_t first, std::size_t last) const { return one(0, first, last); }
};

}  // namespace

static_assert(stagecut::separable_cost<two_parts<double>> && stagecut::separable_cost<same_parts>);
static_assert(stagecut::overlapped_cost<stagecut::overlapped_cuts<prefix_sums<double>>>);
static_assert(stagecut::separable_cost<stagecut::added_cuts<prefix_sums<double>>>);

TEST_CASE("separable costs, below zero too, equal enumeration") {
  const tally seen = random_instances(11, [](models::generator& random, shape form, tally& count) {
    compare(two_parts<std::int64_t>(random, form.n, form.k), form.k, form.empty, count);
    compare(two_parts<double>(random, form.n, form.k), form.k, form.empty, count);
    compare(same_parts{{random, form.n, 1}}, form.k, form.empty, count);
  });
  CHECK(seen.feasible > 2 * instances);
}

TEST_CASE("what only the end of a stage costs, separable and growing to the left, equals enumeration") {
  const tally seen = random_instances(13, [](models::generator& random, shape form, tally& count) {
    const stagecut::sent_at_cuts cost(models::random_items<std::int64_t>(random, form.n));
    compare(cost, form.k, form.empty, count);
    compare(cost, form.k, models::random_permits<stagecut::hereditary>(random, form.n, form.k), form.empty, count);
  });
  CHECK(seen.feasible > instances);
  CHECK(seen.infeasible > instances / 50);
}

TEST_CASE("the least that a separable cost can be is enough") {
  const stagecut::testing::separable_archetype cost(6);
  tally seen;
  for (const auto empty : {empty_stages::forbidden, empty_stages::allowed}) {
    for (std::size_t k = 1; k <= 6; ++k) compare(cost, k, empty, seen);
  }
  CHECK(seen.feasible == 12);
}

// The verdict at every bound, with what it says of other bounds.
TEST_CASE("a probe succeeds exactly within feasible bounds, and passes over none") {
  models::generator random(12);
  int checked = 0;
  const auto check = [&](const auto& cost, std::size_t k, empty_stages empty) {
    const auto permits = models::random_permits<stagecut::hereditary>(random, cost.size(), k);
    using chain_type = detail::reach_chain<std::remove_cvref_t<decltype(cost)>, std::remove_cvref_t<decltype(permits)>>;
    const chain_type chain{cost, permits, empty == empty_stages::allowed ? 0U : 1U};
    const auto best = oracle::best_cut_of(cost, k, empty, permits, oracle::worst);
    detail::reach_sets where(cost.size(), k);
    const auto all = detail::greatest<typename chain_type::cost_type>();
    const auto least = chain.least(k);
    if (best) REQUIRE(!(best->second < least));
    for (std::int64_t bound = -6; bound < 60; ++bound) {
      const auto found = detail::probe(chain, bound, least, all, where);
      REQUIRE(found.feasible == (best && best->second <= bound));
      if (found.feasible) {
        REQUIRE(found.value == oracle::worst(oracle::stage_costs(cost, where.cut)));
        REQUIRE(found.value <= bound);
      } else {
        REQUIRE(bound < found.value);
        if (best) REQUIRE(found.value <= best->second);
      }
      ++checked;
    }
  };
  for (int round = 0; round < 500; ++round) {
    const shape form(random);
    if (form.k > form.n && form.empty == empty_stages::forbidden) continue;
    check(models::random_table<std::int64_t, true, stagecut::right_monotone>(random, form.n, form.k), form.k,
          form.empty);
    check(models::random_table<std::int64_t, true, stagecut::left_monotone>(random, form.n, form.k), form.k,
          form.empty);
    check(models::random_table<std::int64_t, true, stagecut::monotone>(random, form.n, form.k), form.k, form.empty);
  }
  CHECK(checked == 500 * 3 * 66);
}
