// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/stage_makespan.hpp>

#include <doctest/doctest.h>

#include "../allocations.hpp"

#include <vector>

TEST_CASE("pricing warm-up counts allocates nothing") {
  stagecut::stage_pipeline of;
  of.forward = of.backward = of.resident = of.activations = {1, 2, 3, 4};
  of.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  of.send_forward = of.send_backward = {1, 2, 3, 4};
  const std::vector<std::vector<std::size_t>> all{{3, 2, 2, 0}, {1, 1, 1, 1}, {7, 3, 2, 0}, {0, 0, 0, 0}};
  for (const auto kind : {stagecut::transfer_kind::latency, stagecut::transfer_kind::link}) {
    stagecut::stage_makespan price(of, 8, kind);
    const std::size_t before = allocations;
    double sum = 0;
    for (const auto& each : all) sum += price(each);
    CHECK(allocations == before);
    CHECK(sum > 0);
  }
}
