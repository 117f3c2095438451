// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/chain_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace detail = stagecut::detail;
using stagecut::checkpointing;

TEST_CASE("how many forward passes are predicted") {
  CHECK(detail::is_predictable({.devices = 4, .microbatches = 1}));
  CHECK_FALSE(detail::is_predictable({.devices = 4}));
  CHECK(detail::is_predictable({.devices = 4, .microbatches = std::size_t{1} << 18U}));
  CHECK_FALSE(detail::is_predictable({.devices = 4, .microbatches = (std::size_t{1} << 18U) + 1}));
  CHECK_FALSE(detail::is_predictable({.devices = 4, .chunks = 2, .microbatches = std::size_t{1} << 18U}));
}

TEST_CASE("a backward pass by what it computes again, the mean over the microbatches") {
  stagecut::layer each;
  each.forward = 4;
  each.backward = 8;
  CHECK(detail::backward_of(each, checkpointing::never, 4) == 8);
  CHECK(detail::backward_of(each, checkpointing::always, 4) == 12);
  CHECK(detail::backward_of(each, checkpointing::except_last, 4) == 11);
  CHECK(detail::backward_of(each, checkpointing::except_last, 0) == 12);
}

TEST_CASE("links and speeds of stages are those of their devices") {
  stagecut::plan_request request{.devices = 2, .chunks = 2};
  const std::vector<std::size_t> rank_of{0, 1, 0, 1};
  CHECK(detail::links_of(request, rank_of).empty());
  CHECK(detail::speeds_of_stages(request, rank_of).empty());
  request.speeds = {1, 0.5};
  CHECK(detail::speeds_of_stages(request, rank_of) == std::vector<double>{1, 0.5, 1, 0.5});
  CHECK(detail::speeds_of_stages(request, {0, 1, 1, 0}) == std::vector<double>{1, 0.5, 0.5, 1});
  request.links = {{1, 2}};
  CHECK(detail::links_of(request, rank_of) == request.links);
  request.links.clear();
  request.topology = stagecut::topology({2, 2}, {{0, 100}, {1, 10}});
  CHECK(detail::links_of(request, {0, 1, 1, 2}) == std::vector<stagecut::link_speed>{{0, 100}, {0, 0}, {1, 10}});
  CHECK(detail::links_of(request, {0}).empty());
}

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
  CHECK_FALSE(made.stages[1].backward_weight.has_value());
  CHECK_FALSE(made.stages[1].backward_kept.has_value());
}

TEST_CASE("a stage is described by one microbatch") {
  stagecut::profile model;
  model.layers.resize(3);
  for (auto& each : model.layers) {
    each.forward = 1, each.backward = 3, each.backward_weight = 2, each.output = 8, each.activations = 5;
  }
  const auto described = [&](checkpointing checkpoint) {
    stagecut::plan_request request{.devices = 2, .microbatches = 4, .speeds = {2, 0.5}};
    request.memory.checkpoint = checkpoint;
    stagecut::plan made;
    made.cuts = stagecut::cuts{0, 1, 3};
    detail::describe(made, model, request, stagecut::training_memory(model, request.memory), {0, 1}, {4, 3});
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
  }
}
