// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/limit_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::held_memory;
using stagecut::detail::limit_rows;
using stagecut::detail::load_limit;
using stagecut::detail::load_values;
using stagecut::detail::point_domains;
using stagecut::detail::point_times;

TEST_CASE("no cut that memory allows is above a row of memory, and some that it does not are") {
  dice random(1);
  int rows = 0;
  int above = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const stagecut::schedule order = chains::several_order(random, 6);
    const chain of = random.once_in(2) ? chains::alike_chain(random, order, 11)
                                       : chains::random_chain(random, order, 11, {true, true, true, false});
    if (!of.request.memory_limit.for_all()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const double limit = 5000;
      const held_memory held(order, bench.checked, bench.ticks.items, limit, bench.clock);
      const point_times times(bench.ticks, &held);
      const load_values loads(bench.ticks, order, held);
      const limit_rows limits(times, loads, static_cast<double>(order.microbatches), held);
      bool sound = true;
      for (const valued& each : chains::all_cuts(of)) {
        for (std::size_t k = 0; k < limits.rows().size(); ++k) {
          sound = sound && limits.rows().length(k, each.second) <= 0;
          ++rows;
        }
      }
      CHECK(sound);
      for (const points& cut :
           chains::cuts_of(point_domains(bench.ticks.items, bench.ticks.stages), bench.ticks.items)) {
        for (std::size_t k = 0; k < limits.rows().size(); ++k) above += limits.rows().length(k, cut) > 0 ? 1 : 0;
      }
    });
  }
  CHECK(rows > 3000);
  CHECK(above > 3000);
}

TEST_CASE("limits of loads, once a microbatch; what was set before is gone") {
  dice random(2);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const stagecut::schedule order = chains::several_order(random, 6);
    const chain of = chains::random_chain(random, order, 10, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const held_memory held(order, bench.checked, bench.ticks.items, 1, bench.clock);
      const point_times times(bench.ticks, &held);
      const load_values loads(bench.ticks, order, held);
      const auto passes = static_cast<double>(order.microbatches * order.slices);
      limit_rows limits(times, loads, passes, held);
      CHECK(limits.rows().size() == 0);
      for (int again = 0; again < 2; ++again) {
        std::vector<load_limit> set;
        for (std::size_t i = random.from(1, 10); i-- > 0;) {
          add_limit(set, {random.below(loads.groups()), random.once_in(2), static_cast<double>(random.below(3000))});
        }
        limits.set(set);
        CHECK(limits.rows().size() == set.size());
        bool same = true;
        for (const points& cut :
             chains::cuts_of(point_domains(bench.ticks.items, bench.ticks.stages), bench.ticks.items)) {
          for (std::size_t k = 0; k < set.size(); ++k) {
            const double over = loads.load(set[k].group, cut) - set[k].load;
            same = same && limits.rows().length(k, cut) == passes * (set[k].at_most ? over : -over);
          }
        }
        CHECK(same);
      }
      limits.set({});
      CHECK(limits.rows().size() == 0);
    });
  }
}

TEST_CASE("a limit takes the place of another of the same kind") {
  std::vector<load_limit> all;
  add_limit(all, {3, true, 10});
  add_limit(all, {3, false, 4});
  add_limit(all, {2, true, 10});
  add_limit(all, {3, true, 8});
  CHECK(all.size() == 3);
  CHECK(all[0].load == 8);
  CHECK(all[1].load == 4);
}
