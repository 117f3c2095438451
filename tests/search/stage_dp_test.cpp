// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/stage_dp.hpp>

#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../sequence/enumeration.hpp"
#include "../sequence/random_models.hpp"
#include "systems.hpp"

using stagecut::bottleneck;
using stagecut::search_options;
using stagecut::leximax;
using stagecut::minimize_objective;
using stagecut::total_cost;
using stagecut::search::stage_dp;

namespace {

const auto all = [](std::size_t, std::size_t, std::size_t) { return true; };

/// The two costliest stages, and no others: isotone, but not strictly.
struct worst_two {
  using axioms = stagecut::axioms<stagecut::isotone>;
  struct two {
    std::int64_t first;
    std::int64_t second;
    friend bool operator<(const two& a, const two& b) {
      return a.first < b.first || (a.first == b.first && a.second < b.second);
    }
    friend bool operator==(const two&, const two&) = default;
  };
  two operator()(std::int64_t cost) const { return {cost, std::numeric_limits<std::int64_t>::min()}; }
  two operator()(const two& a, const two& b) const {
    return a.first < b.first ? two{b.first, std::max(a.first, b.second)} : two{a.first, std::max(a.second, b.first)};
  }
};

/// The rounded product of costs, not strictly isotone: the two orders of rounding differ.
struct product {
  using axioms = stagecut::axioms<stagecut::isotone>;
  double operator()(double cost) const { return 1 + std::abs(cost); }
  double operator()(double a, double b) const { return a * b; }
};

/// Sums of items, and a term that grows and falls.
struct wavy {
  std::vector<double> before;

  [[nodiscard]] std::size_t size() const { return before.size() - 1; }
  double operator()(std::size_t first, std::size_t last) const {
    return before[last] - before[first] + static_cast<double>(first * 7919 % 101 + last * 104729 % 103) / 8;
  }
};

wavy random_wavy(models::generator& random, std::size_t items) {
  wavy result{{0}};
  for (std::size_t i = 0; i < items; ++i) {
    result.before.push_back(result.before.back() + static_cast<double>(random() % 1000) / 7);
  }
  return result;
}

/// Whether the answer equals `minimize_objective`'s, on one thread or on all host systems.
template <class Model, class Objective, class Constraint>
void check_equal(const Model& cost, std::size_t stages, const Objective& goal, const Constraint& allowed,
                 bool systems = true) {
  const auto expected = minimize_objective(cost, stages, goal, allowed);
  const auto check = [&](const auto& policy) {
    const auto found = stage_dp(policy, cost, stages, goal, allowed);
    REQUIRE(found.state() == expected.state());
    if (!found) {
      CHECK(found.why().text() == expected.why().text());
      return;
    }
    CHECK(found->cuts == expected->cuts);
    CHECK(found->value == expected->value);
    CHECK(found->bound == expected->bound);
  };
  if (systems) return on_each_system(check);
  check(thrust::seq);
}

template <class Model, class Objective, class Value, class Constraint>
void check_enumerated(const Model& cost, std::size_t stages, const Objective& goal, const Value& value,
                      const Constraint& allowed) {
  const auto found = stage_dp(thrust::seq, cost, stages, goal, allowed);
  const auto expected = oracle::best_cut(cost.size(), stages, stagecut::empty_stages::forbidden, allowed,
                                         [&](const auto& points) { return value(oracle::stage_costs(cost, points)); });
  REQUIRE(static_cast<bool>(found) == expected.has_value());
  if (!found) return;
  CHECK(found->value == expected->second);
  CHECK(std::equal(found->cuts.points().begin(), found->cuts.points().end(), expected->first.begin(),
                   expected->first.end()));
}

template <class Cost, bool Staged>
void check_small(std::size_t instances, std::uint64_t seed) {
  models::generator random(seed);
  for (std::size_t instance = 0; instance < instances; ++instance) {
    const std::size_t items = 1 + random() % 9;
    const std::size_t stages = 1 + random() % items;
    const auto cost = models::random_table<Cost, Staged>(random, items, stages);
    check_enumerated(cost, stages, bottleneck(), oracle::worst, all);
    check_enumerated(cost, stages, total_cost(), oracle::sum, all);
    const auto some = models::random_permits<>(random, items, stages);
    check_enumerated(cost, stages, bottleneck(), oracle::worst, some);
    check_enumerated(cost, stages, total_cost(), oracle::sum, some);
    const auto parts = models::random_permits<stagecut::hereditary>(random, items, stages);
    check_enumerated(cost, stages, bottleneck(), oracle::worst, parts);
    check_enumerated(cost, stages, total_cost(), oracle::sum, parts);
    check_equal(cost, stages, bottleneck(), some, instance % 64 == 0);
    check_equal(cost, stages, total_cost(), parts, instance % 64 == 1);
  }
}

}  // namespace

TEST_CASE("it finds the smallest of the best cuts, for costs that promise nothing") {
  check_small<std::int64_t, false>(2000, 1);
  check_small<std::int64_t, true>(2000, 2);
  check_small<std::int32_t, true>(500, 3);
}

TEST_CASE("so it does for doubles, rounded as minimize_objective rounds") {
  models::generator random(4);
  for (int instance = 0; instance < 1500; ++instance) {
    const std::size_t items = 1 + random() % 9;
    const std::size_t stages = 1 + random() % items;
    const auto cost = models::random_table<double, true>(random, items, stages);
    check_enumerated(cost, stages, bottleneck(), oracle::worst, all);
    check_equal(cost, stages, bottleneck(), models::random_permits<stagecut::hereditary>(random, items, stages),
                instance % 32 == 0);
    check_equal(cost, stages, total_cost(), models::random_permits<>(random, items, stages), instance % 32 == 1);
  }
}

TEST_CASE("objectives of one's own") {
  models::generator random(5);
  for (int instance = 0; instance < 500; ++instance) {
    const std::size_t items = 1 + random() % 12;
    const std::size_t stages = 1 + random() % items;
    const auto some = models::random_permits<stagecut::hereditary>(random, items, stages);
    check_equal(models::random_table<std::int64_t, true>(random, items, stages), stages, worst_two(), some,
                instance % 16 == 0);
    check_equal(models::random_table<double, false>(random, items, stages), stages, product(), some,
                instance % 16 == 1);
  }
  static_assert(!stagecut::search::device_objective<leximax, double>);
  static_assert(!stagecut::search::device_objective<stagecut::cost_range, double>);
}

TEST_CASE("middle-sized chains") {
  models::generator random(6);
  for (const std::size_t items : {65UL, 200UL, 301UL}) {
    const wavy cost = random_wavy(random, items);
    for (const std::size_t stages : {1UL, 2UL, 16UL, 64UL, items - 1}) {
      if (stages > items) continue;
      check_equal(cost, stages, bottleneck(), stagecut::detail::no_constraint());
      check_equal(cost, stages, total_cost(), stagecut::detail::no_constraint());
    }
  }
}

TEST_CASE("the bottleneck is what is minimised unless something else is asked for") {
  models::generator random(7);
  const wavy cost = random_wavy(random, 50);
  const auto found = stage_dp(thrust::seq, cost, 7);
  const auto expected = minimize_objective(cost, 7, bottleneck());
  CHECK(found->cuts == expected->cuts);
  CHECK(found->value == expected->value);
}

TEST_CASE("a cost is asked for as often as the documentation says") {
  models::generator random(8);
  for (int instance = 0; instance < 200; ++instance) {
    const std::size_t items = 2 + random() % 30;
    const std::size_t stages = 2 + random() % (items - 1);
    const std::size_t width = items - stages + 1;
    const std::size_t layers = 2 * width + (stages - 2) * (width * (width + 1) / 2);
    const stagecut::testing::counted cost(models::random_table<std::int64_t, true>(random, items, stages));
    const auto sum = stage_dp(thrust::seq, cost, stages, total_cost());
    // Each stage looks at the ends from the first one to its own; the last has but one.
    CHECK(cost.calls() == layers + sum->cuts.points()[stages - 1] + 1);
  }
  const stagecut::testing::counted once(random_wavy(random, 20));
  CHECK(stage_dp(thrust::seq, once, 1).has_value());
  CHECK(once.calls() == 2);
}

TEST_CASE("more stages than items, and none") {
  models::generator random(9);
  const wavy cost = random_wavy(random, 3);
  const auto found = stage_dp(thrust::seq, cost, 4);
  CHECK(found.state() == stagecut::state::infeasible);
  CHECK(found.why().what == stagecut::reason::cause::more_stages_than_layers);
  CHECK(stage_dp(thrust::seq, wavy{{0}}, 1).state() == stagecut::state::infeasible);
  CHECK_THROWS_AS(static_cast<void>(stage_dp(thrust::seq, cost, 0)), stagecut::argument_error);
  search_options limits;
  limits.time_limit = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(static_cast<void>(stage_dp(thrust::seq, cost, 2, total_cost(), limits)), stagecut::argument_error);
}

TEST_CASE("it stops between layers, and tells how far it is") {
  models::generator random(10);
  const wavy cost = random_wavy(random, 30);
  for (std::size_t layers = 0; layers < 6; ++layers) {
    std::size_t asked = 0;
    const auto stop = [&] { return asked++ == layers; };
    search_options limits;
    limits.stop = stop;
    const auto found = stage_dp(thrust::seq, cost, 5, total_cost(), limits);
    CHECK(found.state() == (layers < 5 ? stagecut::state::unknown : stagecut::state::optimal));
    if (layers < 5) CHECK(found.why().what == stagecut::reason::cause::limit_reached);
  }
  search_options limits;
  limits.time_limit = 0.0;
  CHECK(stage_dp(thrust::seq, cost, 5, total_cost(), all, limits).state() == stagecut::state::unknown);
  // A layer has 30 - 5 + 1 rows; the last one begins behind those of four.
  limits.time_limit.reset();
  for (const std::size_t rows : {std::size_t{0}, std::size_t{103}, std::size_t{104}}) {
    limits.node_limit = rows;
    const bool enough = rows == 104;
    CHECK(stage_dp(thrust::seq, cost, 5, total_cost(), limits).state() ==
          (enough ? stagecut::state::optimal : stagecut::state::unknown));
  }
}

TEST_CASE("what a cost throws comes out, of the first of a layer's pairs") {
  struct thrower {
    [[nodiscard]] static std::size_t size() { return 40; }
    std::int64_t operator()(std::size_t stage, std::size_t first, std::size_t last) const {
      if (stage == 3 && first % 7 == 5) throw std::out_of_range(std::to_string(first));
      return static_cast<std::int64_t>(last - first);
    }
  };
  const auto check = [](const auto& policy) {
    // Of stage 3, which begins at 3 to 35, the pairs are 3 and 35, 4 and 34, 5 and 33.
    try {
      static_cast<void>(stage_dp(policy, thrower(), 8, total_cost()));
      CHECK(false);
    } catch (const std::out_of_range& error) {
      CHECK(error.what() == std::string("5"));
    }
  };
  on_each_system(check);
}
