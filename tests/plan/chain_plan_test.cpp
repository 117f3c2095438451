// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/chain_plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
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
}
