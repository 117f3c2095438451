// SPDX-License-Identifier: BSL-1.0
#include <stagecut/orders/schedule_bound.hpp>

#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../refusal.hpp"
#include "small_orders.hpp"

using stagecut::schedule_bound;
using stagecut::synthesize_schedule;

TEST_CASE("Bounds of orders: no makespan and no span of an order is below") {
  small_orders of(7);
  std::size_t tight = 0, orders = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    of.next(1 + i % 4, 1 + i / 4 % 2, 1 + i / 8 % 5, i % 3 != 0);
    of.request.search.node_limit = 60;
    CAPTURE(i);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    const auto least = schedule_bound(of.times, of.transfers, of.request);
    REQUIRE(found.has_value() == least.has_value());
    if (!found) continue;
    const auto run = stagecut::simulate(found->schedule, of.times, of.transfers);
    CHECK(least->makespan <= run.makespan);
    CHECK(least->span <= run.span);
    CHECK(least->span <= least->makespan);
    tight += least->span == run.span ? 1U : 0U;
    ++orders;
  }
  MESSAGE(orders, " orders, ", tight, " of the least span");
  CHECK(tight * 4 > orders);
}

TEST_CASE("Bounds of orders: not less with less memory, and not more than floats add up to") {
  small_orders of(9);
  std::size_t more = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    of.next(1 + i % 4, 1 + i / 4 % 3, 1 + i / 12 % 4, i % 2 == 0);
    of.limit(1, 1);
    const std::vector<double> one = of.request.memory_limit.values();
    of.request.bytes.recomputed.clear();
    CAPTURE(i);
    std::int64_t least = 0;
    for (const double room : {30, 20, 9, 5, 2, 0}) {
      std::vector<double> limits = one;
      for (double& limit : limits) limit += room;
      of.request.memory_limit = limits;
      const auto now = schedule_bound(of.times, of.transfers, of.request);
      CHECK(now->makespan >= least);
      more += now->makespan > least && least > 0 ? 1U : 0U;
      least = now->makespan;
    }
    stagecut::pass_times<float> times;
    for (const auto each : of.times.forward) times.forward.push_back(0.1F * static_cast<float>(each));
    for (const auto each : of.times.forward) times.backward.push_back(0.7F * static_cast<float>(each));
    of.request.split = false;
    of.request.search.node_limit = 20;
    const auto found = synthesize_schedule(times, {}, of.request);
    CHECK(schedule_bound(times, {}, of.request)->makespan <= found->makespan);
  }
  CHECK(more > 150);
  of.request.microbatches = 0;
  CHECK(refusal([&] { return schedule_bound(of.times, of.transfers, of.request); }) ==
        "stagecut::synthesize_schedule: microbatches = 0, must be at least 1");
}
