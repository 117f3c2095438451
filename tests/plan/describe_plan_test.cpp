// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/describe_plan.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace detail = stagecut::detail;
using stagecut::checkpointing;

TEST_CASE("a plan is described on its devices") {
  stagecut::profile model;
  model.layers.resize(3);
  for (auto& layer : model.layers) layer.forward = 1, layer.backward = 3, layer.output = 8;
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
  CHECK_FALSE(made.stages[1].backward_weight.has_value());
  CHECK_FALSE(made.stages[1].backward_kept.has_value());
}

TEST_CASE("memory is called by what it was reckoned from") {
  stagecut::profile model;
  model.layers.resize(2);
  stagecut::plan_request request;
  CHECK(detail::optimizer_name(model, request) == "adam");
  model.layers[1].resident = 0;
  CHECK(detail::optimizer_name(model, request) == "as profiled");
  request.memory_accounting.use_resident = false;
  CHECK(detail::optimizer_name(model, request) == "adam");
  request.memory_accounting.parameter_multiplier = 2.5;
  CHECK(detail::optimizer_name(model, request) == "2.5");
  request.optimizer = "mine";
  CHECK(detail::optimizer_name(model, request) == "mine");
}

TEST_CASE("a stage is described by one microbatch") {
  stagecut::profile model;
  model.layers.resize(3);
  for (auto& layer : model.layers) {
    layer.forward = 1, layer.backward = 3, layer.backward_weight = 2, layer.output = 8, layer.activations = 5;
    layer.backward_input = 1;
  }
  const auto described = [&](checkpointing checkpoint) {
    stagecut::plan_request request{.devices = 2, .microbatches = 4, .speeds = {2, 0.5}};
    request.memory_accounting.checkpoint = checkpoint;
    stagecut::plan made;
    made.cuts = stagecut::cuts{0, 1, 3};
    detail::describe(made, model, request, stagecut::training_memory(model, request.memory_accounting), {0, 1}, {4, 3});
    return made.stages[1];
  };
  const auto never = described(checkpointing::never);
  CHECK(never.memory == stagecut::planned_memory{0, 10, 0, 16, 0});
  CHECK(never.backward == 12);
  CHECK(never.backward_weight == 8);
  const auto always = described(checkpointing::always);
  CHECK(always.memory == stagecut::planned_memory{0, 8, 0, 16, 10});
  CHECK(always.backward == 16);
  CHECK(always.backward_weight == 8);
  CHECK_FALSE(always.backward_kept.has_value());
  const auto last = described(checkpointing::except_last);
  CHECK(last.memory == always.memory);
  CHECK(last.backward == 16);
  CHECK(last.backward_kept == 12);
  for (const auto& [mode, stage] : {std::pair(checkpointing::never, never), std::pair(checkpointing::always, always),
                                    std::pair(checkpointing::except_last, last)}) {
    stagecut::memory_options options;
    options.checkpoint = mode;
    CHECK(stage.total_memory() == stagecut::training_memory(model, options)(1, 3, 3).total());
    CHECK_FALSE(stage.backward_input.has_value());  // what is left of the backward pass
  }
  for (auto& layer : model.layers) layer.backward_input = 2;
  CHECK(described(checkpointing::never).backward_input == 8);
  CHECK(described(checkpointing::always).backward_input == 12);
  CHECK(described(checkpointing::except_last).backward_input == 12);
}
