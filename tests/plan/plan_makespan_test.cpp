// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/plan_makespan.hpp>

#include <doctest/doctest.h>

#include <stagecut/schedule/make_schedule.hpp>

#include "known_profile.hpp"

using known_profile::known;
using stagecut::plan_request;
using stagecut::schedule_kind;
using stagecut::detail::least_gradients;
using stagecut::detail::mixes_backward;

TEST_CASE("what was proved of a cut is what its plan says, not what its simulation would like") {
  const plan_request request{.devices = 4, .microbatches = 8};
  const auto order = stagecut::detail::schedule_of_request(request);
  const stagecut::training_memory memory(known, request.memory_accounting);
  const stagecut::chain_model chain(known);
  const auto planned = [&](double makespan, double bound, stagecut::state proved) {
    stagecut::makespan_cut found;
    found.cuts = stagecut::cuts{0, 3, 5, 6, 8};
    found.value = makespan;
    found.bound = bound;
    return stagecut::detail::plan_of(known, request, order, memory, chain, found, proved).objective;
  };
  using stagecut::objective_value;
  using stagecut::state;
  CHECK(planned(573, 573, state::optimal) == objective_value{"makespan", "time", 573, 573, state::optimal});
  CHECK(planned(573, 500, state::feasible) == objective_value{"makespan", "time", 573, 500, state::feasible});
  CHECK(planned(500, 500, state::optimal) == objective_value{"makespan", "time", 573, 500, state::feasible});
  CHECK(planned(574, 574, state::optimal) == objective_value{"makespan", "time", 573, 573, state::optimal});
}

TEST_CASE("schedules that run whole backward passes beside their parts") {
  const auto made = [](schedule_kind kind, std::size_t chunks) {
    return stagecut::make_schedule(kind, {.ranks = 2, .stages_per_rank = chunks, .microbatches = 8});
  };
  CHECK(mixes_backward(made(schedule_kind::dualpipev, 2)));
  CHECK_FALSE(mixes_backward(made(schedule_kind::zb_h1, 1)));
  CHECK_FALSE(mixes_backward(made(schedule_kind::zbv, 2)));
  CHECK_FALSE(mixes_backward(made(schedule_kind::one_forward_one_backward, 1)));
}

TEST_CASE("gradients take at most as long apart as together") {
  stagecut::profile model;
  model.layers.resize(5);
  for (auto& layer : model.layers) layer.backward = 4;
  const double parts[][2] = {{5, 1}, {2, 1}, {1, 6}, {0, 4}};
  for (std::size_t i = 0; i < 4; ++i) {
    model.layers[i].backward_input = parts[i][0];
    model.layers[i].backward_weight = parts[i][1];
  }
  const double expected[][2] = {{3, 1}, {2, 1}, {0, 4}, {0, 4}};
  const stagecut::profile least = least_gradients(model);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(least.layers[i].backward_input == expected[i][0]);
    CHECK(least.layers[i].backward_weight == expected[i][1]);
    CHECK(least.layers[i].backward == 4);
  }
  CHECK(least.layers[4] == model.layers[4]);
}
