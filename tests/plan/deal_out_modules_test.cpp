// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/deal_out_modules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using stagecut::detail::assigned_devices;
using stagecut::detail::even_segments;
using stagecut::detail::module_ticks;

namespace {

module_ticks sum_of(const std::vector<module_ticks>& costs, std::size_t first, std::size_t last) {
  module_ticks sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += costs[i];
  return sum;
}

/// The recurrence as it stands: c(k, i) = min over j of max(c(k - 1, j), sum), the first of the least j.
std::vector<std::size_t> by_recurrence(const std::vector<module_ticks>& costs, std::size_t segments) {
  const std::size_t n = costs.size();
  std::vector<std::vector<module_ticks>> least(segments + 1, std::vector<module_ticks>(n + 1));
  std::vector<std::vector<std::size_t>> from(segments + 1, std::vector<std::size_t>(n + 1));
  for (std::size_t i = 1; i <= n; ++i) least[1][i] = sum_of(costs, 0, i);
  for (std::size_t k = 2; k <= segments; ++k) {
    for (std::size_t i = k; i <= n; ++i) {
      bool any = false;
      for (std::size_t j = k - 1; j < i; ++j) {
        const module_ticks here = std::max(least[k - 1][j], sum_of(costs, j, i));
        if (any && here >= least[k][i]) continue;
        least[k][i] = here;
        from[k][i] = j;
        any = true;
      }
    }
  }
  std::vector<std::size_t> points(segments + 1, n);
  for (std::size_t k = segments; k > 0; --k) points[k - 1] = k == 1 ? 0 : from[k][points[k]];
  return points;
}

/// The costliest segment of the best cut, of all there are.
module_ticks by_enumeration(const std::vector<module_ticks>& costs, std::size_t first, std::size_t segments) {
  if (segments == 1) return sum_of(costs, first, costs.size());
  module_ticks best = sum_of(costs, 0, costs.size());
  for (std::size_t last = first; last <= costs.size(); ++last) {  // empty ones are no better
    best = std::min(best, std::max(sum_of(costs, first, last), by_enumeration(costs, last, segments - 1)));
  }
  return best;
}

/// The largest quotients of cost and 1, 2, 3 and so on; of equal ones the quotient with 1, then the first segment's.
std::vector<std::size_t> by_quotients(const std::vector<module_ticks>& costs, std::size_t devices) {
  struct quotient {
    module_ticks cost;
    module_ticks divisor;
    std::size_t segment;
  };
  std::vector<quotient> all;
  for (std::size_t s = 0; s < costs.size(); ++s) {
    for (std::size_t d = 1; d <= devices; ++d) all.push_back({costs[s], static_cast<module_ticks>(d), s});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const quotient& a, const quotient& b) {
                     const module_ticks here = a.cost * b.divisor, there = b.cost * a.divisor;
                     return here != there ? here > there : a.divisor == 1 && b.divisor != 1;
                   });
  std::vector<std::size_t> result;
  for (std::size_t d = 0; d < devices; ++d) result.push_back(all[d].segment);
  return result;
}

}  // namespace

TEST_CASE("segments of modules are those of the recurrence, and none are lighter") {
  std::mt19937 random(20261126);
  for (int round = 0; round < 3000; ++round) {
    std::vector<module_ticks> costs(1 + random() % 8);
    const std::size_t end = round % 3 == 0 ? 2 : round % 3 == 1 ? 4 : 50;
    for (module_ticks& cost : costs) cost = static_cast<module_ticks>(random() % end);
    for (std::size_t segments = 1; segments <= std::min<std::size_t>(costs.size(), 5); ++segments) {
      const stagecut::cuts found = even_segments(costs, segments);
      const std::vector<std::size_t> expected = by_recurrence(costs, segments);
      REQUIRE(found == stagecut::cuts(expected));
      module_ticks most = 0;
      for (const stagecut::interval each : found) most = std::max(most, sum_of(costs, each.first, each.last));
      REQUIRE(most == by_enumeration(costs, 0, segments));
    }
  }
}

TEST_CASE("devices are dealt out by the greatest quotients") {
  const std::vector<std::size_t> seats = assigned_devices({53, 24, 23}, 8);
  CHECK(std::count(seats.begin(), seats.end(), 0U) == 4);
  CHECK(std::count(seats.begin(), seats.end(), 1U) == 2);
  CHECK(std::count(seats.begin(), seats.end(), 2U) == 2);
  CHECK(assigned_devices({0, 0}, 3) == std::vector<std::size_t>{0, 1, 0});
  CHECK(assigned_devices({1, 2, 1}, 4) == std::vector<std::size_t>{1, 0, 2, 1});
  CHECK(assigned_devices({4, 2}, 2) == std::vector<std::size_t>{0, 1});
  CHECK(assigned_devices({41, 20}, 2) == std::vector<std::size_t>{0, 0});
  CHECK(assigned_devices({41, 20}, 2, 1) == std::vector<std::size_t>{0, 1});
  CHECK(assigned_devices({20, 41}, 3, 1) == std::vector<std::size_t>{1, 0, 1});
  CHECK(assigned_devices({50, 20}, 2, 1) == std::vector<std::size_t>{0, 0});

  std::mt19937 random(17);
  for (int round = 0; round < 3000; ++round) {
    std::vector<module_ticks> costs(1 + random() % 6);
    for (module_ticks& cost : costs) cost = static_cast<module_ticks>(random() % (round % 2 == 0 ? 7 : 100));
    const std::size_t devices = 1 + random() % 9;
    REQUIRE(assigned_devices(costs, devices) == by_quotients(costs, devices));
  }
  // Products of costs of a whole model and of many seats.
  const module_ticks whole = module_ticks{1} << 52U;
  const std::vector<std::size_t> many = assigned_devices({whole, whole - 1, 0}, 10001);
  CHECK(std::count(many.begin(), many.end(), 0U) == 5001);
  CHECK(std::count(many.begin(), many.end(), 2U) == 0);
}
