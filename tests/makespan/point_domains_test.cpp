// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/point_domains.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "domain_chains.hpp"

using chains::points;
using oracle::dice;
using stagecut::detail::point_domains;

TEST_CASE("the places of all cuts, none wider than needed") {
  for (std::size_t n = 1; n <= 8; ++n) {
    for (std::size_t stages = 1; stages <= n; ++stages) {
      const point_domains all(n, stages);
      std::size_t cuts = 0;
      std::vector<std::size_t> least(stages, n);
      std::vector<std::size_t> most(stages);
      chains::each_cut(n, stages, [&](const points& cut) {
        ++cuts;
        for (std::size_t j = 1; j < stages; ++j) {
          least[j] = std::min(least[j], cut[j]);
          most[j] = std::max(most[j], cut[j]);
        }
      });
      for (std::size_t j = 1; j < stages; ++j) {
        CHECK(all.low[j] == least[j]);
        CHECK(all.high[j] == most[j]);
      }
      CHECK(all.single() == (cuts == 1));
    }
  }
}

TEST_CASE("tight: exactly the places that some cut has, or no cut is left") {
  dice random(1);
  int none = 0;
  int one = 0;
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const std::size_t stages = random.from(2, 6);
    const std::size_t n = random.from(stages, 10);
    point_domains some(n, stages);
    for (std::size_t j = 1; j < stages; ++j) {
      if (random.once_in(3)) continue;
      some.low[j] = static_cast<std::uint32_t>(random.from(some.low[j], some.high[j]));
      if (random.once_in(2)) some.high[j] = static_cast<std::uint32_t>(random.from(some.low[j], some.high[j]));
    }
    const auto cuts = chains::cuts_of(some, n);
    const bool left = some.tighten();
    CHECK(left == !cuts.empty());
    none += left ? 0 : 1;
    if (!left) continue;
    bool tight = true;
    for (std::size_t j = 1; j < stages; ++j) {
      const auto less = [j](const points& a, const points& b) { return a[j] < b[j]; };
      tight = tight && some.low[j] == (*std::min_element(cuts.begin(), cuts.end(), less))[j];
      tight = tight && some.high[j] == (*std::max_element(cuts.begin(), cuts.end(), less))[j];
    }
    CHECK(tight);
    CHECK(chains::cuts_of(some, n) == cuts);
    CHECK(some.single() == (cuts.size() == 1));
    one += some.single() ? 1 : 0;
  }
  CHECK(none > 100);
  CHECK(one > 100);
}
