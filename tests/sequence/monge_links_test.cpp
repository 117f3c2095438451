// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/convex_of.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/monge_links.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "total_oracle.hpp"

namespace detail = stagecut::detail;
using oracle::generator;

TEST_CASE("the cheapest cut into any number of stages equals enumeration, cut points included") {
  generator random(26);
  std::size_t checked = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t n = 1 + random() % 9;
    const auto extra = static_cast<std::int64_t>(random() % 14) - 5;
    oracle::interval_table<stagecut::monge> table(n);
    fill(random, table, 0, 1);
    const detail::stage_price<decltype(table)> price{table};
    using links = detail::monge_links<decltype(price)>;
    links all(price, n);
    all.run(extra, links::prefer::smallest);
    const auto expected = oracle::least_total(table, 0, oracle::all_allowed, extra);
    REQUIRE(all.points() == expected->first);
    REQUIRE(static_cast<std::int64_t>(all.total()) == expected->second);
    all.run(extra, links::prefer::fewest);
    const std::size_t fewest = all.points().size() - 1;
    all.run(extra, links::prefer::most);
    const std::size_t most = all.points().size() - 1;
    for (std::size_t k = 1; k <= n; ++k) {
      const auto exactly = oracle::least_total(table, k, oracle::all_allowed, extra);
      REQUIRE((exactly->second == expected->second) == (fewest <= k && k <= most));
      REQUIRE(all.smallest(extra, k) == (fewest <= k && k <= most ? exactly->first : oracle::points_t()));
    }
    ++checked;
  }
  CHECK(checked == 20'000);
}

TEST_CASE("the fewest and the most stages of the cheapest cuts") {
  const stagecut::prefix_sums<int> zeros(std::vector<int>(7));
  const detail::stage_price<stagecut::prefix_sums<int>> price{zeros};
  using links = detail::monge_links<decltype(price)>;
  links all(price, 7);
  all.run(0, links::prefer::fewest);
  CHECK(all.points() == oracle::points_t{0, 7});
  all.run(0, links::prefer::most);
  CHECK(all.points() == oracle::points_t{0, 1, 2, 3, 4, 5, 6, 7});
  all.run(0, links::prefer::smallest);
  CHECK(all.points() == oracle::points_t{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(all.smallest(0, 3) == oracle::points_t{0, 1, 2, 7});
  CHECK(all.smallest(1, 3).empty());
}

TEST_CASE("a queue asks O(n log n) times for each extra cost") {
  generator random(24);
  const std::size_t n = 20'000;
  std::vector<double> items(n);
  for (double& item : items) item = static_cast<double>(random() % 1'000'000) / 1'000'000;
  const stagecut::convex_of squares(stagecut::prefix_sums<double>(items), [](double x) { return x * x; });
  stagecut::testing::counted cost(squares);
  const detail::stage_price<decltype(cost)> price{cost};
  using links = detail::monge_links<decltype(price)>;
  links all(price, n);
  const auto chain = static_cast<double>(n) * std::log2(static_cast<double>(n));
  for (const double extra : {0.0, 1.0, 1e3, 1e6, 1e9}) {
    cost.reset();
    all.run(extra, links::prefer::smallest);
    CHECK(static_cast<double>(cost.calls()) <= 4 * chain);
  }
}
