// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/shared_devices.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/plan_chain.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using stagecut::plan;
using stagecut::plan_chain;
using stagecut::plan_request;
using stagecut::profile;

namespace {

/// Layers with 10 resident bytes each and one per microbatch.
profile layers(std::size_t n) {
  profile model;
  for (std::size_t i = 0; i < n; ++i) {
    stagecut::layer& each = model.layers.emplace_back();
    each.name = "l";
    each.forward = each.backward = 1;
    each.resident = 10;
    each.activations = 1;
  }
  return model;
}

plan_request two_by_two() {
  plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = 2};
  request.objective = stagecut::plan_objective::bottleneck;
  request.memory_accounting.boundary_buffers = 0;
  return request;
}

}  // namespace

TEST_CASE("a device holds what its stages hold at the same time") {
  plan made = *plan_chain(layers(4), two_by_two());
  const double most = stagecut::fullest_device(made);
  CHECK_FALSE(stagecut::detail::fullest_over_limit(made));
  made.memory.memory_limit = most;
  CHECK_FALSE(stagecut::detail::fullest_over_limit(made));
  made.memory.memory_limit = most - 1;
  const auto over = stagecut::detail::fullest_over_limit(made);
  REQUIRE(over);
  CHECK(over->needed == static_cast<std::size_t>(most));
  CHECK(over->available == static_cast<std::size_t>(most) - 1);
  CHECK(over->place == "device 0 with this cut");
}

TEST_CASE(
    "within memory: optimal at the bytes of the best cut, below unknown or infeasible, never more than there is") {
  const profile model = layers(8);
  const plan free = *plan_chain(model, two_by_two());
  const double enough = stagecut::fullest_device(free);
  plan_request request = two_by_two();
  request.memory_limit = enough;
  CHECK(plan_chain(model, request).state() == stagecut::state::optimal);
  int unknown = 0;
  int infeasible = 0;
  for (double bytes = 1; bytes < enough; ++bytes) {
    request.memory_limit = bytes;
    const auto made = plan_chain(model, request);
    if (made) {
      CHECK(stagecut::fullest_device(*made) <= bytes);
      CHECK(made->objective.bound >= free.objective.value);
      continue;
    }
    const bool open = made.state() == stagecut::state::unknown;
    unknown += open ? 1 : 0;
    infeasible += open ? 0 : 1;
    CHECK(made.why().text().find(open ? "no other cut was found" : "the fullest of 2 devices of 2 stages each") !=
          std::string::npos);
  }
  CHECK(unknown > 0);
  CHECK(infeasible > 0);
  request.by = stagecut::measure::layers;  // one cut alone
  request.memory_limit = enough - 1;
  CHECK(plan_chain(model, request).state() == stagecut::state::infeasible);
}
