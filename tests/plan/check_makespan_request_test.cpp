// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/check_makespan_request.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"
#include "known_profile.hpp"

using stagecut::plan_request;
using stagecut::schedule_kind;

namespace {

std::string refused(const stagecut::profile& model, const plan_request& request) {
  return refusal([&] { return stagecut::detail::check_makespan_request(model, request), 0; });
}

}  // namespace

TEST_CASE("a schedule that runs the gradients apart needs them of every layer, which is named") {
  stagecut::profile model = known_profile::known;
  plan_request request{.devices = 2, .microbatches = 4, .schedule = schedule_kind::zb_h1};
  CHECK(refused(model, request) == "not refused");
  model.layers[3].backward_input.reset(), model.layers[3].backward_weight.reset();
  CHECK(refused(model, request) ==
        stagecut::detail::layer_text(model, 3) +
            ": has no backward_weight: the schedule runs the gradients of input and weights apart");
  request.schedule = schedule_kind::one_forward_one_backward;
  CHECK(refused(model, request) == "not refused");
}

TEST_CASE("schedules that chains are not planned for, and recomputation beside gradients apart") {
  const stagecut::profile& model = known_profile::known;
  plan_request request{.devices = 2, .microbatches = 4, .schedule = schedule_kind::sliced};
  CHECK(refused(model, request).find("is not one that a chain is planned for") != std::string::npos);
  request.schedule = schedule_kind::zb_h1;
  request.memory_accounting.checkpoint = stagecut::checkpointing::always;
  CHECK(refused(model, request).find("needs a schedule that runs B as one") != std::string::npos);
}
