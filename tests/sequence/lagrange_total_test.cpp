// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/lagrange_total.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>
#include <stagecut/sequence/detail/total_program.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "total_oracle.hpp"

namespace detail = stagecut::detail;
using oracle::generator;

namespace {

template <class Model>
oracle::points_t by_extra_costs(const Model& cost, std::size_t k) {
  const detail::stage_price<Model> price{cost};
  return detail::lagrange_total(price, cost.size(), k).run();
}

template <class Model>
oracle::points_t by_stages(const Model& cost, std::size_t k) {
  const detail::stage_price<Model> price{cost};
  const detail::cut_windows all(cost.size(), k);
  return detail::layered_total<false, detail::stage_price<Model>>(price, all).run();
}

template <class Model>
oracle::points_t by_program(const Model& cost, std::size_t k) {
  return *detail::total_program(detail::stage_price<Model>{cost}, detail::no_constraint{}, cost.size(), k);
}

template <class Model>
double total(const Model& cost, const oracle::points_t& points) {
  return static_cast<double>(detail::total_of(detail::stage_price<Model>{cost}, points));
}

}  // namespace

TEST_CASE("extra costs of stages lead to exactly k of them: equal to enumeration, cut points included") {
  generator random(21);
  std::size_t checked = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    oracle::interval_table<stagecut::monge> table(n);
    fill(random, table, 0, 1);
    const auto expected = oracle::least_total(table, k, oracle::all_allowed, std::int64_t{});
    REQUIRE(by_extra_costs(table, k) == expected->first);
    const stagecut::convex_of squares(stagecut::prefix_sums(oracle::random_items<std::int64_t>(random, n)),
                                      [](std::int64_t x) { return x * x; });
    REQUIRE(by_extra_costs(squares, k) == oracle::least_total(squares, k, oracle::all_allowed, std::int64_t{})->first);
    // Integers in doubles tie exactly, too.
    oracle::interval_table<stagecut::monge, double> same(n);
    for (std::size_t i = 0; i < table.costs.size(); ++i) same.costs[i] = static_cast<double>(table.costs[i]);
    REQUIRE(by_extra_costs(same, k) == expected->first);
    ++checked;
  }
  CHECK(checked == 20'000);
}

TEST_CASE("doubles that do not tie equal enumeration but for rounding") {
  generator random(22);
  std::size_t checked = 0;
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % n;
    std::vector<double> items(n);
    for (double& item : items)
      item = std::ldexp(static_cast<double>(random() >> 11U), static_cast<int>(random() % 4) - 53);
    const stagecut::convex_of cost(stagecut::prefix_sums<double>(items), [](double x) { return x * std::sqrt(x); });
    const auto points = by_extra_costs(cost, k);
    REQUIRE(oracle::valid(points, n, k));
    const double expected = oracle::least_total(cost, k, oracle::all_allowed, 0.0)->second;
    REQUIRE(total(cost, points) <= expected * (1 + 1e-13));
    ++checked;
  }
  CHECK(checked == 10'000);
}

TEST_CASE("every exact method agrees on middle-sized chains") {
  generator random(23);
  std::size_t checked = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 2 + random() % (round < 4 ? 999 : 200);
    const std::size_t k = 1 + random() % (round % 2 == 0 ? n : 1 + n / 10);
    const stagecut::convex_of squares(stagecut::prefix_sums(oracle::random_items<std::int64_t>(random, n)),
                                      [](std::int64_t x) { return x * x; });
    const auto points = by_stages(squares, k);
    REQUIRE(by_extra_costs(squares, k) == points);
    REQUIRE(by_program(squares, k) == points);
    oracle::interval_table<stagecut::monge> table(n / 4 + 2);
    fill(random, table, 0, 1);
    const std::size_t fewer = 1 + random() % table.size();
    REQUIRE(by_extra_costs(table, fewer) == by_stages(table, fewer));
    std::vector<double> items(n);
    for (double& item : items) item = -std::log(static_cast<double>(1 + random() % 1'000'000) / 1'000'001);
    const stagecut::convex_of real(stagecut::prefix_sums<double>(items), [](double x) { return x * x; });
    const double least = total(real, by_program(real, k));
    REQUIRE(total(real, by_stages(real, k)) == doctest::Approx(least).epsilon(1e-13));
    REQUIRE(total(real, by_extra_costs(real, k)) == doctest::Approx(least).epsilon(1e-13));
    ++checked;
  }
  CHECK(checked == 40);
}

TEST_CASE("few extra costs are tried, each with O(n log n) calls") {
  generator random(24);
  const std::size_t n = 20'000;
  std::vector<double> items(n);
  for (double& item : items) item = static_cast<double>(random() % 1'000'000) / 1'000'000;
  const stagecut::convex_of squares(stagecut::prefix_sums<double>(items), [](double x) { return x * x; });
  stagecut::testing::counted cost(squares);
  const auto chain = static_cast<double>(n) * std::log2(static_cast<double>(n));
  for (const std::size_t k : {2U, 30U, 1000U, 19'000U}) {
    cost.reset();
    (void)by_extra_costs(cost, k);
    CHECK(static_cast<double>(cost.calls()) <= 50 * chain);
  }
}

TEST_CASE("costs that are not Monge, or no numbers, end with exactly k stages") {
  generator random(25);
  constexpr double odd[] = {0,
                            1,
                            -1,
                            1e308,
                            -1e308,
                            3e-324,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  std::size_t checked = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::size_t n = 1 + random() % 40;
    const std::size_t k = 1 + random() % n;
    oracle::interval_table<stagecut::monge, double> table(n);
    for (double& cost : table.costs) cost = odd[random() % (round % 2 == 0 ? 9 : 6)];
    REQUIRE(oracle::valid(by_extra_costs(table, k), n, k));
    oracle::interval_table<stagecut::monge> integers(n);
    for (auto& cost : integers.costs) cost = static_cast<std::int64_t>(random());
    REQUIRE(oracle::valid(by_extra_costs(integers, k), n, k));
    ++checked;
  }
  CHECK(checked == 4000);
}
