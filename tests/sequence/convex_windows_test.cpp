// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/convex_windows.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "total_oracle.hpp"

namespace detail = stagecut::detail;
using oracle::generator;

namespace {

/// Checks that each of the cheapest cuts lies within the windows; returns how many cut points they leave.
template <class Function>
std::size_t check(const std::vector<double>& items, std::size_t k, const Function& function) {
  const stagecut::prefix_sums sums(items);
  const std::size_t n = items.size();
  const auto prefix = [&](std::size_t i) { return sums.prefix(i); };
  const auto where = detail::convex_windows(prefix, function, n, k).run();
  for (std::size_t s = 0; s <= k; ++s) {
    REQUIRE(where.lowest[s] <= where.highest[s]);
    if (s > 0) REQUIRE(where.lowest[s - 1] < where.lowest[s]);
    if (s > 0) REQUIRE(where.highest[s - 1] < where.highest[s]);
  }
  REQUIRE(where.highest[0] == 0);
  REQUIRE(where.lowest[k] == n);
  oracle::points_t cuts{0};
  double least = 0;
  bool found = false;
  std::vector<oracle::points_t> best;
  const auto extend = [&](const auto& self, double before) -> void {
    for (std::size_t last = cuts.back() + 1; last <= n; ++last) {
      if ((cuts.size() == k) != (last == n)) continue;
      const double sum = before + function(sums(cuts.back(), last));
      cuts.push_back(last);
      if (last < n) {
        self(self, sum);
      } else {
        if (!found || sum < least) best.clear();
        if (!found || sum <= least) best.push_back(cuts), least = sum, found = true;
      }
      cuts.pop_back();
    }
  };
  extend(extend, 0);
  for (const auto& points : best) {
    for (std::size_t s = 0; s <= k; ++s) {
      REQUIRE(where.lowest[s] <= points[s]);
      REQUIRE(points[s] <= where.highest[s]);
    }
  }
  return where.size();
}

}  // namespace

TEST_CASE("windows hold each of the cheapest cuts, heavy items or not") {
  generator random(51);
  std::size_t left = 0;
  std::size_t all = 0;
  for (int round = 0; round < 8000; ++round) {
    const std::size_t n = 1 + random() % 11;
    const std::size_t k = 1 + random() % n;
    std::vector<double> items(n);
    for (double& item : items) {
      item = static_cast<double>(random() % 20) * (round % 2 == 0 ? 0.1 : 1) * (random() % 4 == 0 ? 25 : 1);
    }
    const double target = static_cast<double>(random() % 40);
    left += check(items, k, [](double x) { return x * x; });
    left += check(items, k, [=](double x) { return std::fabs(x - target); });
    left += check(items, k, [=](double x) { return x > target ? x - target : 0; });
    left += check(items, k, [](double x) { return std::exp(x / 8); });
    left += check(items, k, [](double x) { return 1 / (x + 1) - 3 * x; });
    all += 5 * detail::cut_windows(n, k).size();
  }
  CHECK(left < all * 9 / 10);
}

TEST_CASE("windows of long chains are narrow, behind a heavy item, too") {
  generator random(52);
  const std::size_t n = 10'000;
  std::vector<double> items(n);
  for (double& item : items) item = static_cast<double>(random() % 1000) / 1000;
  const auto average = [&](std::size_t k) {
    const stagecut::prefix_sums sums(items);
    const auto prefix = [&](std::size_t i) { return sums.prefix(i); };
    return detail::convex_windows(
               prefix, [](double x) { return x * x; }, n, k)
               .run()
               .size() /
           k;
  };
  CHECK(average(16) < 20);
  CHECK(average(64) < 60);
  items[0] = 3000;
  CHECK(average(16) < 20);
  items[7000] = 2000;
  items[4000] = 500;
  CHECK(average(64) < 400);  // between heavy items the stages cannot be level
}

TEST_CASE("beside an item that swallows all others in its rounding no cut point is left out") {
  const std::vector<double> items{3.7, 8.9, 5.9, 2.1, 1.7, 1e17};
  CHECK(check(items, 3, [](double x) { return x < 20 ? 20 - x : 0; }) != 0);
}
