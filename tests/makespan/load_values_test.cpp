// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/load_values.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::held_memory;
using stagecut::detail::load_values;
using stagecut::detail::point_domains;

TEST_CASE("what ranks and stages take in any cut is among the values, ascending") {
  dice random(1);
  int known = 0;
  int few = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const stagecut::schedule order = chains::several_order(random, 6);
    const chain of = random.once_in(2) ? chains::alike_chain(random, order, 12)
                                       : chains::random_chain(random, order, 12, {true, true, true, false});
    chains::with_workbench(of, [&](auto& bench) {
      const held_memory held(order, bench.checked, bench.ticks.items, 1000, bench.clock);
      const load_values loads(bench.ticks, order, held);
      CHECK(loads.ranks() == order.ranks());
      std::vector<std::set<double>> seen(loads.groups());
      for (const valued& each : chains::all_cuts(of)) {
        for (std::size_t g = 0; g < loads.groups(); ++g) seen[g].insert(loads.load(g, each.second));
      }
      for (std::size_t g = 0; g < loads.groups(); ++g) {
        const std::vector<double>& values = loads.values(g);
        if (values.empty()) continue;
        ++known;
        CHECK(std::is_sorted(values.begin(), values.end()));
        CHECK(std::adjacent_find(values.begin(), values.end()) == values.end());
        CHECK(std::includes(values.begin(), values.end(), seen[g].begin(), seen[g].end()));
        few += values.size() == seen[g].size() ? 1 : 0;
      }
    });
  }
  CHECK(known > 1000);
  CHECK(few > 500);
}

TEST_CASE("too many are none") {
  dice random(2);
  std::vector<double> times(80);
  for (double& time : times) time = static_cast<double>(random.from(1, 1'000'000));
  chain of{chains::layers(times, times, {}, {}), {}, {}, {}};
  of.request.schedule =
      stagecut::make_schedule(chains::schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 2});
  chains::with_workbench(of, [&](auto& bench) {
    const held_memory held(of.request.schedule, bench.checked, bench.ticks.items, 1, bench.clock);
    const load_values loads(bench.ticks, of.request.schedule, held);
    CHECK(loads.groups() == 6);
    CHECK(loads.values(0).empty());
    CHECK(loads.values(2).size() == 77);  // stage 0 begins with the first item
    CHECK(loads.values(3).empty());
  });
}
