// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/least_average.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "random_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::schedule_kind;

TEST_CASE("no cut takes less than all work, shared out evenly") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    const auto all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      const double least = stagecut::detail::least_average(bench.ticks, of.request.schedule);
      CHECK(least >= 0);
      if (!all.empty()) CHECK(least * bench.ticks.tick <= all[0].first);
    });
  }
  chain of{chains::layers({1, 2, 3}, {2, 4, 6}, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = 2, .microbatches = 4});
  chains::with_workbench(of, [&](auto& bench) {
    CHECK(stagecut::detail::least_average(bench.ticks, of.request.schedule) * bench.ticks.tick == 18 * 4 / 2);
  });
}
