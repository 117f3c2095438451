// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

#include "random_requests.hpp"

/// Plans of random requests of all kinds.
namespace random_made {

/// A profile in which every figure matters.
inline stagecut::profile random_profile(random_requests::dice& dice, std::size_t layers) {
  stagecut::profile model = dice.profile(layers);
  const bool resident = dice.up_to(2) == 0;
  bool apart = false;
  for (const auto& layer : model.layers)
    apart = apart || layer.backward != *layer.backward_input + *layer.backward_weight;
  for (auto& layer : model.layers) {
    layer.forward += 0.1 * dice.whole(9);
    layer.backward += 0.01 * dice.whole(9);
    if (!apart) layer.backward_input = layer.backward - *layer.backward_weight;
    layer.parameters = 1 + dice.whole(50);
    layer.activations = 1 + 0.3 * dice.whole(20);
    layer.workspace = 1 + dice.whole(7);
    layer.output = 1 + dice.whole(30);
    if (resident && dice.up_to(1) == 0) layer.resident = 3.5 * layer.parameters;
    if (dice.up_to(4) == 0) {
      stagecut::tied_parameters tied{"t", 10, std::nullopt};
      if (resident) tied.resident = 77;
      layer.tied.push_back(tied);
    }
  }
  return model;
}

/// A request of any kind; some make no sense.
inline stagecut::plan_request random_request(random_requests::dice& dice, const stagecut::profile& model) {
  using stagecut::plan_objective;
  stagecut::plan_request request;
  request.devices = 1 + dice.up_to(3);
  request.schedule = stagecut::schedules[dice.up_to(stagecut::schedules_made_by_shape - 1)].kind;
  if (dice.up_to(1) == 0) request.schedule = stagecut::schedule_kind::one_forward_one_backward;
  const std::size_t chunks = stagecut::entry_of(request.schedule).stages_per_rank;
  request.stages_per_rank = chunks == 0 ? 2 + dice.up_to(1) : dice.up_to(3) == 0 ? 2 : chunks;
  if (dice.up_to(7) != 0) request.microbatches = request.devices * (1 + dice.up_to(2));
  if (request.stages_per_rank > 1 && request.microbatches != 0 && dice.up_to(3) == 0) {
    request.group = dice.up_to(1) == 0 ? request.microbatches : request.devices + dice.up_to(3);
  }
  constexpr plan_objective objectives[] = {plan_objective::automatic, plan_objective::bottleneck,
                                           plan_objective::leximax, plan_objective::range, plan_objective::variance};
  request.objective = dice.up_to(1) == 0 ? plan_objective::automatic : objectives[dice.up_to(4)];
  if (dice.up_to(3) == 0) request.by = static_cast<stagecut::measure>(dice.up_to(4));
  if (request.by == stagecut::measure::weights) request.weights.assign(model.layers.size(), 1.5);
  request.memory_accounting.checkpoint = static_cast<stagecut::checkpointing>(dice.up_to(5) < 3 ? 0 : dice.up_to(2));
  if (dice.up_to(1) == 0) request.memory_accounting.boundary_buffers = 1;
  if (dice.up_to(2) == 0)
    request.memory_accounting.use_resident = false, request.memory_accounting.parameter_multiplier = 3, request.optimizer = "x";
  if (dice.up_to(1) == 0) request.memory_limit = 300 + dice.whole(1200), request.buffer_fraction = 0.1;
  if (dice.up_to(2) == 0) request.speeds = dice.speeds(request.devices);
  if (dice.up_to(1) == 0) dice.add_links(request);
  dice.add_rules(request, model.layers.size());
  if (request.stages_per_rank == 1 && dice.up_to(5) == 0 &&
      request.schedule == stagecut::schedule_kind::one_forward_one_backward) {
    for (std::size_t s = 0; s < request.devices; ++s) request.in_flight.push_back(2 * (request.devices - s));
  }
  if (dice.up_to(7) == 0) {  // torchgpipe's default
    request.stages_per_rank = 1;
    request.schedule = stagecut::schedule_kind::gpipe;
    request.memory_accounting.checkpoint = stagecut::checkpointing::except_last;
    request.in_flight.clear();
    if (request.links.size() > 1) request.links.resize(1);
  }
  return request;
}

/// A plan, and what it is of.
struct made_plan {
  stagecut::profile model;
  stagecut::plan made;
};

/// A plan of a random request; none where there is none.
inline std::optional<made_plan> random_plan(random_requests::dice& dice) {
  stagecut::profile model = random_profile(dice, 3 + dice.up_to(7));
  const auto request = random_request(dice, model);
  try {
    auto found = stagecut::make_plan(model, request);
    if (!found) return std::nullopt;
    return made_plan{std::move(model), std::move(*found)};
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace random_made
