// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/cuts_within.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>

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

TEST_CASE("a list that may be short still has a cut: ticks tell apart what makespans before rounding do not") {
  using stagecut::op_kind;
  stagecut::makespan_request request;
  request.order.microbatches = 1;
  request.order.rank_of = {0, 0};
  request.order.orders = {
      {{op_kind::forward, 0}, {op_kind::forward, 1}, {op_kind::backward, 1}, {op_kind::backward, 0}}};
  request.within = 0;
  request.most_within = 1;
  const stagecut::item_times model({0.1, 0.5, 0.1}, {0.3, 0.1, 0.6});
  const auto best = stagecut::minimize_makespan(model, request);
  REQUIRE(best);
  REQUIRE(best->within.size() == 1);
  CHECK(best->within[0].makespan <= best->makespan);
}
