// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/cuts_within.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;

TEST_CASE("all cuts within a fraction, whatever the ticks were, whole times or any magnitude") {
  dice random(1);
  int many = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const auto order = chains::random_order(random, kind, {8, 3, 5});
    const bool whole = random.once_in(2);
    chain of = whole ? chains::random_chain(random, order, 8, {}) : chains::rough_chain(random, order, 8);
    const std::vector<valued> all = whole ? chains::all_cuts(of) : chains::all_cuts<double>(of);
    if (all.empty()) continue;
    of.request.within = random.once_in(3) ? 0.2 * random.fraction() : std::pow(10, 6 * random.fraction());
    chains::with_workbench(of, [&](auto& bench) {
      stagecut::detail::cut_space space(bench.ticks, of.request.order, of.request.transfers, bench.layout,
                                        bench.checked, bench.simulate, bench.clock);
      if (!whole) bench.ticks.scale(all[0].first);
      stagecut::makespan_cut result;
      result.cuts = stagecut::cuts(all[0].second);
      result.makespan = all[0].first;
      stagecut::detail::collect_cuts_within(bench.ticks, of.request, bench.simulate, space, result);
      CHECK(result.all_within);
      const double longest = all[0].first * (1 + *of.request.within);
      const double slack = whole ? 0 : 1e-9;
      std::size_t sure = 0;
      std::size_t possible = 0;
      for (const valued& each : all) sure += each.first <= longest * (1 - slack) ? 1 : 0;
      for (const valued& each : all) possible += each.first <= longest * (1 + slack) ? 1 : 0;
      CHECK(result.within.size() >= sure);
      CHECK(result.within.size() <= possible);
      many += sure > 3 ? 1 : 0;
      bool sound = true;
      for (std::size_t i = 0; i < result.within.size(); ++i) {
        const auto& each = result.within[i];
        sound = sound && (i == 0 || result.within[i - 1].makespan <= each.makespan);
        sound = sound && std::any_of(all.begin(), all.end(), [&](const valued& other) {
                  return other.second == chains::points_of(each.cuts) &&
                         std::abs(other.first - each.makespan) <= 1e-12 * each.makespan;
                });
      }
      CHECK(sound);
    });
  }
  CHECK(many > 50);
}
