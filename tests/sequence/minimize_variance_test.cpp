// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/minimize_variance.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "random_models.hpp"
#include "total_oracle.hpp"

using oracle::generator;
using oracle::points_of;
using stagecut::minimize_variance;
using stagecut::prefix_sums;

namespace {

/// The sum of the squares of k times the deviations from the mean of k stages: k³ times the variance.
template <class Sums, class T>
struct deviations {
  const Sums& sums;
  T stages;

  std::size_t size() const { return sums.size(); }
  T operator()(std::size_t i, std::size_t j) const {
    const T off = static_cast<T>(sums(i, j)) * stages - static_cast<T>(sums(0, size()));
    return off * off;
  }
};

/// Compares with enumeration in long double, or exactly; returns whether there is an answer.
template <class T, class Answer, class Constraint>
bool compare(const prefix_sums<T>& sums, std::size_t k, const Answer& answer, const Constraint& allowed) {
  const auto count = static_cast<double>(k);
  if constexpr (std::is_integral_v<T>) {
    const deviations<prefix_sums<T>, std::int64_t> cost{sums, static_cast<std::int64_t>(k)};
    const auto expected = oracle::least_total(cost, k, allowed, std::int64_t{});
    REQUIRE(answer.has_value() == expected.has_value());
    if (!answer) return false;
    REQUIRE(points_of(answer->cuts) == expected->first);
    REQUIRE(answer->value == doctest::Approx(static_cast<double>(expected->second) / (count * count * count)));
  } else {
    const deviations<prefix_sums<T>, double> cost{sums, count};
    const auto expected = oracle::least_total(cost, k, allowed, 0.0);
    REQUIRE(answer.has_value() == expected.has_value());
    if (!answer) return false;
    const double mean = sums(0, sums.size()) / count;
    const double least = expected->second / (count * count * count);
    REQUIRE(std::fabs(answer->value - least) <= 1e-12 * least + 1e-15 * mean * mean);
    double direct = 0;
    for (std::size_t s = 0; s < k; ++s) {
      const double off = sums(answer->cuts[s], answer->cuts[s + 1]) - mean;
      direct += off * off / count;
    }
    REQUIRE(std::fabs(answer->value - direct) <= 1e-12 * direct + 1e-15 * mean * mean);
  }
  REQUIRE(answer->bound == answer->value);
  return true;
}

std::vector<double> random_reals(generator& random, std::size_t n) {
  std::vector<double> items(n);
  for (double& item : items) item = std::pow(static_cast<double>(random() % 1'000'000) / 1'000'000, 3);
  return items;
}

}  // namespace

TEST_CASE("a chain cut into stages as level as can be") {
  const auto best = minimize_variance(prefix_sums{3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0}, 3);
  REQUIRE(best);
  CHECK(best->cuts == stagecut::cuts{0, 4, 6, 8});  // 9, 14, 8; their mean is 31 / 3
  CHECK(best->value == doctest::Approx(62.0 / 9));
  CHECK(best->bound == best->value);
}

TEST_CASE("random chains equal enumeration: integers with their cut points, doubles but for rounding") {
  generator random(61);
  std::size_t checked = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    const prefix_sums integers(oracle::random_items<std::int64_t>(random, n));
    REQUIRE(compare(integers, k, minimize_variance(integers, k), oracle::all_allowed));
    const prefix_sums<double> reals(random_reals(random, n));
    REQUIRE(compare(reals, k, minimize_variance(reals, k), oracle::all_allowed));
    ++checked;
  }
  CHECK(checked == 20'000);
}

TEST_CASE("constrained chains equal enumeration") {
  generator random(62);
  int feasible = 0;
  int infeasible = 0;
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t n = 1 + random() % 9;
    const std::size_t k = 1 + random() % n;
    const prefix_sums integers(oracle::random_items<std::int64_t>(random, n));
    const prefix_sums<double> reals(random_reals(random, n));
    const arbitrary some(random, n, k, 20 + 20 * static_cast<unsigned>(random() % 5));
    const oracle::capped_constraint capped(random, n, k);
    ++(compare(integers, k, minimize_variance(integers, k, some), some) ? feasible : infeasible);
    ++(compare(integers, k, minimize_variance(integers, k, capped), capped) ? feasible : infeasible);
    ++(compare(reals, k, minimize_variance(reals, k, capped), capped) ? feasible : infeasible);
  }
  CHECK(feasible > 8000);
  CHECK(infeasible > 4000);
}

TEST_CASE("middle-sized chains equal the textbook dynamic program") {
  generator random(63);
  std::size_t checked = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 20 + random() % 250;
    const std::size_t k = 1 + random() % (round % 2 == 0 ? n : n / 8);
    const auto count = static_cast<double>(k);
    const prefix_sums integers(oracle::random_items<std::int64_t>(random, n));
    const deviations<prefix_sums<std::int64_t>, std::int64_t> exact{integers, static_cast<std::int64_t>(k)};
    const auto least = static_cast<double>(oracle::total_by_dynamic_program(exact, k));
    REQUIRE(minimize_variance(integers, k)->value == doctest::Approx(least / (count * count * count)).epsilon(1e-12));
    std::vector<double> items = random_reals(random, n);
    if (round % 3 == 0) items[random() % n] = 20;
    const prefix_sums<double> reals(items);
    const double best = oracle::total_by_dynamic_program(deviations<prefix_sums<double>, double>{reals, count}, k);
    REQUIRE(minimize_variance(reals, k)->value == doctest::Approx(best / (count * count * count)).epsilon(1e-10));
    // The same sums, otherwise stored.
    REQUIRE(*minimize_variance(stagecut::block_sums(items), k) == *minimize_variance(reals, k));
    ++checked;
  }
  CHECK(checked == 60);
}

TEST_CASE("the variance of a mirrored chain is the same, that of a larger one scaled, whatever the magnitude") {
  generator random(64);
  std::size_t checked = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 80;
    const std::size_t k = 1 + random() % n;
    std::vector<double> items(n);
    for (double& item : items) item = static_cast<double>(random() % 1'000'000) / (1U << 20U);
    const auto best = minimize_variance(prefix_sums<double>(items), k);
    const std::vector<double> mirrored(items.rbegin(), items.rend());
    REQUIRE(minimize_variance(prefix_sums<double>(mirrored), k)->value == doctest::Approx(best->value).epsilon(1e-9));
    for (const int exponent : {-1000, -700, -500, -420, -60, 3, 390, 410, 500, 700, 1000}) {
      std::vector<double> scaled(items);
      for (double& each : scaled) each = std::ldexp(each, exponent);
      const auto other = minimize_variance(prefix_sums<double>(scaled), k);
      REQUIRE(other->cuts == best->cuts);
      const double expected = std::ldexp(best->value, 2 * exponent);
      REQUIRE(other->value == (stagecut::is_finite(expected) ? expected : std::numeric_limits<double>::max()));
    }
    for (const double unit : {1e-150, 1e150}) {
      std::vector<double> scaled(items);
      for (double& each : scaled) each *= unit;
      const auto other = minimize_variance(prefix_sums<double>(scaled), k);
      REQUIRE(other->value / unit / unit == doctest::Approx(best->value).epsilon(1e-6));
    }
    ++checked;
  }
  CHECK(checked == 200);
}

TEST_CASE("integers up to the end of 64 bits are compared exactly") {
  constexpr std::uint64_t half = std::uint64_t{1} << 63U;
  const auto cuts_of = [](std::vector<std::uint64_t> items, std::size_t k) {
    return minimize_variance(prefix_sums<std::uint64_t>(items), k)->cuts;
  };
  CHECK(cuts_of({half - 2, 1, 1, half - 2}, 2) == stagecut::cuts{0, 2, 4});
  CHECK(cuts_of({half - 3, 1, 1, half - 2}, 2) == stagecut::cuts{0, 2, 4});
  CHECK(cuts_of({half - 4, 1, 1, 1, half - 3}, 2) == stagecut::cuts{0, 3, 5});
  CHECK(cuts_of({half - 3, 1, 1, 1, half - 4}, 2) == stagecut::cuts{0, 2, 5});
  generator random(65);
  // Large items that differ in their last bits: any number of zeros around them leaves wide windows.
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 30 + random() % 30;
    std::vector<std::uint64_t> items(n);
    for (int i = 0; i < 4; ++i) items[random() % n] = (std::uint64_t{1} << 61U) + random() % 3;
    const std::size_t k = 2 + random() % (n - 2);
    REQUIRE(oracle::valid(points_of(cuts_of(items, k)), n, k));
  }
}

TEST_CASE("chains without work, and of all other additive models") {
  CHECK(minimize_variance(prefix_sums(std::vector<double>(9)), 4)->cuts == stagecut::cuts{0, 1, 2, 3, 9});
  CHECK(minimize_variance(prefix_sums(std::vector<double>(9)), 4)->value == 0);
  CHECK(minimize_variance(prefix_sums(std::vector<double>(600)), 300)->cuts[299] == 299);
  CHECK(minimize_variance(prefix_sums(std::vector<double>(12, 0.1)), 4)->value == doctest::Approx(0));
  CHECK(minimize_variance(prefix_sums(std::vector<int>(12, 7)), 4)->value == 0);
  CHECK(minimize_variance(stagecut::testing::additive_archetype(5), 2)->cuts == stagecut::cuts{0, 3, 5});  // 9, 16
}

TEST_CASE("what cannot be done is told") {
  const prefix_sums work{1, 2, 3};
  CHECK_THROWS_AS((void)minimize_variance(work, 0), stagecut::argument_error);
  CHECK(minimize_variance(work, 4).why() == stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 4, 3});
  const auto never = [](std::size_t, std::size_t, std::size_t) { return false; };
  CHECK(minimize_variance(work, 2, never).why().what == stagecut::reason::cause::constraint);
}

namespace {

/// Promises to be additive, and is anything.
struct liar {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<double> prefixes;

  std::size_t size() const { return prefixes.size() - 1; }
  double prefix(std::size_t i) const { return prefixes[i]; }
  double operator()(std::size_t i, std::size_t j) const { return prefixes[j] - prefixes[i]; }
};

}  // namespace

TEST_CASE("liars get valid cuts in the end") {
  generator random(66);
  constexpr double odd[] = {0,
                            1,
                            -1,
                            1e308,
                            -1e308,
                            3e-324,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  std::size_t checked = 0;
  for (int round = 0; round < 5000; ++round) {
    liar cost{std::vector<double>(2 + random() % 60)};
    for (double& prefix : cost.prefixes) prefix = odd[random() % (round % 2 == 0 ? 8 : 6)];
    const std::size_t k = 1 + random() % cost.size();
    REQUIRE(oracle::valid(points_of(minimize_variance(cost, k)->cuts), cost.size(), k));
    ++checked;
  }
  CHECK(checked == 5000);
}

TEST_CASE("integers that fall on the way get valid cuts, without overflow") {
  struct falling {
    using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
    std::size_t items;
    [[nodiscard]] std::size_t size() const { return items; }
    [[nodiscard]] std::int64_t prefix(std::size_t i) const {
      return i == 0 || i == items ? static_cast<std::int64_t>(i) : i % 2 == 0 ? -1000 : std::int64_t{1} << 62U;
    }
    std::int64_t operator()(std::size_t first, std::size_t last) const { return prefix(last) - prefix(first); }
  };
  for (std::size_t n = 1; n < 100; n += 7) {
    for (std::size_t k = 1; k <= n; k += 3) CHECK(minimize_variance(falling{n}, k)->cuts.stages() == k);
  }
}

TEST_CASE("a limit leaves a cut with the least bottleneck, and a bound that no cut is below") {
  models::generator random(23);
  stagecut::search_options limits;
  limits.time_limit = 0;
  int stopped = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 6 + random() % 20;
    const std::size_t k = 2 + random() % 4;
    const stagecut::prefix_sums cost(models::random_items<std::int64_t>(random, n));
    const auto permits = models::random_permits(random, n, k);
    const auto best = stagecut::minimize_variance(cost, k, permits);
    const auto found = stagecut::minimize_variance(cost, k, permits, limits);
    REQUIRE(found.has_value() == best.has_value());
    if (!found || found.state() == stagecut::state::optimal) continue;
    REQUIRE(found.state() == stagecut::state::feasible);
    REQUIRE(found->cuts == stagecut::minimize_bottleneck(cost, k, permits)->cuts);
    REQUIRE(found->bound <= best->value);
    REQUIRE(best->value <= found->value);
    ++stopped;
  }
  CHECK(stopped > 50);
}
