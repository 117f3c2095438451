// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/describe_plan.hpp>

#include <doctest/doctest.h>

namespace detail = stagecut::detail;

TEST_CASE("a plan is described on its devices") {
  stagecut::profile model;
  model.layers.resize(3);
  for (auto& each : model.layers) each.forward = 1, each.backward = 3, each.output = 8;
  stagecut::plan_request request{.devices = 2, .speeds = {2, 0.5}, .transfers = stagecut::transfer_kind::stream};
  request.topology = stagecut::topology({1, 2}, {{0, 100}, {1, 10}});
  stagecut::plan made;
  made.cuts = stagecut::cuts{0, 1, 3};
  detail::describe(made, model, request, stagecut::training_memory(model, {}), {0, 1}, {});
  CHECK(made.speeds == request.speeds);
  CHECK(made.messages == stagecut::message_model{"stream", {{1, 10}}});
  CHECK(made.stages[0].forward == 0.5);
  CHECK(made.stages[0].backward == 1.5);
  CHECK(made.stages[1].forward == 4);
  CHECK(made.stages[1].backward == 12);
}

TEST_CASE("memory is called by what it was reckoned from") {
  stagecut::profile model;
  model.layers.resize(2);
  stagecut::plan_request request;
  CHECK(detail::optimizer_name(model, request) == "adam");
  model.layers[1].resident = 0;
  CHECK(detail::optimizer_name(model, request) == "as profiled");
  request.memory.use_resident = false;
  CHECK(detail::optimizer_name(model, request) == "adam");
  request.memory.parameter_multiplier = 2.5;
  CHECK(detail::optimizer_name(model, request) == "2.5");
  request.optimizer = "mine";
  CHECK(detail::optimizer_name(model, request) == "mine");
}
