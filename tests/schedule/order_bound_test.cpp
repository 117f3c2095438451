// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/order_bound.hpp>

#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/synthesize_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include "small_orders.hpp"

using stagecut::order_bound;
using stagecut::synthesize_schedule;

TEST_CASE("Bounds of orders: no makespan and no span of an order is below") {
  small_orders of(7);
  std::size_t tight = 0, orders = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    of.next(1 + i % 4, 1 + i / 4 % 2, 1 + i / 8 % 5, i % 3 != 0);
    of.request.limits.node_limit = 60;
    CAPTURE(i);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    const auto least = order_bound(of.times, of.transfers, of.request);
    REQUIRE(found.has_value() == least.has_value());
    if (!found) continue;
    const auto run = stagecut::simulate(found->order, of.times, of.transfers);
    CHECK(least->makespan <= run.makespan);
    CHECK(least->span <= run.span);
    CHECK(least->span <= least->makespan);
    tight += least->span == run.span ? 1U : 0U;
    ++orders;
  }
  MESSAGE(orders, " orders, ", tight, " of the least span");
  CHECK(tight * 4 > orders);
}
