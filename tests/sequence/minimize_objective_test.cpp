// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using models::rank;
using stagecut::bottleneck;
using stagecut::empty_stages;
using stagecut::in_order;
using stagecut::leximax;
using stagecut::minimize_objective;
using stagecut::total_cost;

namespace {

constexpr int instances = 20'000;

/// The probability that a stage fails, and so the pipeline: the value is that it does not, and more is better.
struct unreliability {
  using axioms = stagecut::axioms<stagecut::isotone>;
  struct works {
    double probability;
    friend bool operator<(const works& a, const works& b) { return a.probability > b.probability; }
    friend bool operator==(const works&, const works&) = default;
  };
  works operator()(double failure) const { return {1 - failure}; }
  works operator()(const works& a, const works& b) const { return {a.probability * b.probability}; }
};

/// The two costliest stages, and no others: isotone, but not strictly.
struct worst_two {
  using axioms = stagecut::axioms<stagecut::isotone>;
  using pair = std::pair<std::int64_t, std::int64_t>;
  pair operator()(std::int64_t cost) const { return {cost, std::numeric_limits<std::int64_t>::min()}; }
  pair operator()(const pair& a, const pair& b) const {
    return a.first < b.first ? pair(b.first, std::max(a.first, b.second)) : pair(a.first, std::max(a.second, b.first));
  }
};

/// Limits the number of items.
struct narrow {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  std::size_t* asked;
  std::size_t most;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    ++*asked;
    return last - first <= most;
  }
};

/// An objective that combines at random.
struct moody {
  using axioms = stagecut::axioms<stagecut::isotone>;
  const models::noise& source;
  double operator()(double value) const { return value; }
  double operator()(double a, double b) const {
    return source.number(static_cast<std::uint64_t>(a + 50), static_cast<std::uint64_t>(b + 50), 0);
  }
};

/// By enumeration: the same values combined from the left.
template <class Objective>
struct combined {
  const Objective& goal;
  template <class Cost>
  auto operator()(const std::vector<Cost>& costs) const {
    auto value = goal(costs.back());
    for (std::size_t s = costs.size() - 1; s-- > 0;) value = goal(goal(costs[s]), value);
    return value;
  }
};

template <class Cost, bool Staged, class Objective, auto... Promised>
int equal_enumeration(std::uint64_t seed, const Objective& goal) {
  models::generator random(seed);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const auto cost = models::random_table<Cost, Staged, Promised...>(random, n, k);
    const auto check = [&](const auto& allowed) {
      const auto expected = oracle::best_cut_of(cost, k, empty_stages::forbidden, allowed, combined<Objective>{goal});
      found += oracle::agree(minimize_objective(cost, k, goal, allowed), expected) ? 1 : 0;
    };
    switch (random() % 3) {
      case 0:
        found += oracle::agree(
                     minimize_objective(cost, k, goal),
                     oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything, combined<Objective>{goal}))
                     ? 1
                     : 0;
        break;
      case 1: check(models::random_permits(random, n, k)); break;
      default: check(models::random_permits<stagecut::hereditary>(random, n, k)); break;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("the bottleneck equals enumeration") {
  CHECK(equal_enumeration<std::int64_t, true>(1, bottleneck()) > instances / 2);
  CHECK(equal_enumeration<double, true>(2, bottleneck()) > instances / 2);
  CHECK(equal_enumeration<rank, false>(3, bottleneck()) > instances / 2);
  CHECK(equal_enumeration<double, true, bottleneck, stagecut::right_monotone>(4, bottleneck()) > instances / 2);
}
TEST_CASE("the total equals enumeration") {
  CHECK(equal_enumeration<std::int64_t, true>(5, total_cost()) > instances / 2);
  CHECK(equal_enumeration<std::int64_t, false, total_cost, stagecut::right_monotone>(6, total_cost()) > instances / 2);
}
TEST_CASE("the costliest, the second, and so on equal enumeration") {
  CHECK(equal_enumeration<std::int64_t, true>(7, leximax()) > instances / 2);
  CHECK(equal_enumeration<double, false>(8, leximax()) > instances / 2);
  CHECK(equal_enumeration<rank, true, leximax, stagecut::right_monotone>(9, leximax()) > instances / 2);
}
TEST_CASE("objectives in order equal enumeration") {
  const in_order worst_first{leximax(), total_cost()};
  const in_order sum_first{total_cost(), bottleneck()};
  CHECK(equal_enumeration<std::int64_t, true>(10, worst_first) > instances / 2);
  CHECK(equal_enumeration<std::int64_t, true>(11, sum_first) > instances / 2);
  CHECK(equal_enumeration<std::int64_t, false>(12, in_order{total_cost(), leximax()}) > instances / 2);
}
TEST_CASE("an objective of the user's equals enumeration") {
  CHECK(equal_enumeration<std::int64_t, true>(13, worst_two()) > instances / 2);
}

TEST_CASE("the most reliable pipeline") {
  models::generator random(14);
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    auto cost = models::random_table<double, true>(random, n, k);
    for (auto& stage : cost.entries) {
      for (double& each : stage) each = static_cast<double>(random() % 9) / 8;  // products of eighths: exact
    }
    const auto expected = oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything,
                                              combined<unreliability>{unreliability()});
    REQUIRE(oracle::agree(minimize_objective(cost, k, unreliability()), expected));
  }
  CHECK(minimize_objective(stagecut::monotone(2, [](std::size_t i, std::size_t j) { return 0.25 * double(j - i); }), 2,
                           unreliability())
            ->value.probability == 0.5625);
}

TEST_CASE("sums that round: the value is that of the cut, and no other is less but for rounding") {
  models::generator random(15);
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const auto cost = models::random_table<double, true>(random, n, k);
    const auto expected = oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything, oracle::sum);
    const auto best = minimize_objective(cost, k, total_cost());
    REQUIRE(best->value == expected->second);  // combined from the end, as here
    const auto points = best->cuts.points();
    REQUIRE(oracle::sum(oracle::stage_costs(cost, {points.begin(), points.end()})) == best->value);
    ++checked;
  }
  CHECK(checked == 3000);
}

TEST_CASE("what cannot be done is told") {
  const stagecut::prefix_sums cost{1, 2, 3};
  CHECK_THROWS_WITH_AS((void)minimize_objective(cost, 0, total_cost()),
                       "stagecut::minimize_objective: stages = 0, must be at least 1", stagecut::argument_error);
  CHECK(minimize_objective(cost, 4, total_cost()).why() ==
        stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 4, 3});
  const auto none = minimize_objective(cost, 2, total_cost(), stagecut::at_most(cost, 2));
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().what == stagecut::reason::cause::constraint);
  CHECK(none.why().place == "item 2 alone costs more than the 2 that a stage may cost: 3");
  const auto thrower = [](std::size_t, std::size_t, std::size_t) -> bool { throw 7; };
  CHECK_THROWS_AS((void)minimize_objective(cost, 2, total_cost(), thrower), int);
}

TEST_CASE("the least that costs can be is enough") {
  namespace testing = stagecut::testing;
  CHECK(minimize_objective(testing::monotone_archetype(7), 3, bottleneck())->cuts == stagecut::cuts{0, 1, 4, 7});
  CHECK(minimize_objective(testing::staged_archetype<>(6), 3, leximax())->cuts == stagecut::cuts{0, 3, 5, 6});
  CHECK(minimize_objective(testing::separable_archetype(5), 2, total_cost()));
  CHECK(minimize_objective(testing::additive_archetype(5), 2, in_order{leximax(), total_cost()})->cuts ==
        stagecut::cuts{0, 3, 5});
}

TEST_CASE("the documented numbers of calls hold") {
  models::generator random(16);
  for (const std::size_t n : {20U, 60U, 150U}) {
    for (const std::size_t k : {2U, 5U, 15U}) {
      const stagecut::prefix_sums sums(models::random_items<std::int64_t>(random, n));
      const stagecut::testing::counted counted(stagecut::at_speeds(sums, std::vector<double>(k, 1.0)));
      (void)minimize_objective(counted, k, total_cost());
      CHECK(counted.calls() <= k * n * n / 2 + n);
      CHECK(counted.calls() >= (k - 2) * (n - k) * (n - k) / 2);  // none is passed over
      const std::size_t wide = 4 * n / k;
      std::size_t asked = 0;
      const stagecut::testing::counted few(stagecut::at_speeds(sums, std::vector<double>(k, 1.0)));
      CHECK(minimize_objective(few, k, total_cost(), narrow{&asked, wide}));
      CHECK(few.calls() <= k * n * wide);
      CHECK(asked <= k * n * (wide + 2) + k * 20);
      // What the costliest stage costs already makes most ends hopeless.
      const stagecut::testing::counted bottlenecks(stagecut::at_speeds(sums, std::vector<double>(k, 1.0)));
      (void)minimize_objective(bottlenecks, k, bottleneck());
      CHECK(bottlenecks.calls() <= counted.calls() + k * n);
    }
  }
}

TEST_CASE("liars get valid cuts in the end") {
  models::generator random(17);
  int answers = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n = 1 + random() % 12;
    const std::size_t k = 1 + random() % n;
    const models::noise source{random(), random() % 2 == 0, random() % 2 == 0 ? 0U : 5U};
    const auto check = [&](const auto& best) {
      if (!best) return;
      REQUIRE(best->cuts.items() == n);
      REQUIRE(best->cuts.stages() == k);
      ++answers;
    };
    const models::liar<double, true, stagecut::monotone, stagecut::separable> cost{n, source};
    const models::liar<rank, false, stagecut::right_monotone> ranks{n, source};
    const models::lying_permits<stagecut::hereditary> heirs{source, 80};
    const models::lying_permits<> permits{source, 60};
    check(minimize_objective(cost, k, total_cost()));
    check(minimize_objective(cost, k, bottleneck(), heirs));
    check(minimize_objective(cost, k, leximax(), permits));
    check(minimize_objective(ranks, k, in_order{leximax(), bottleneck()}, heirs));
    check(minimize_objective(ranks, k, bottleneck(), permits));
    const models::noise calm{source.salt, source.moody};
    check(minimize_objective(models::liar<double, false>{n, calm}, k, moody{calm}, heirs));
  }
  CHECK(answers > 3000);
}
