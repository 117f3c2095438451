// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/topology.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <cstddef>
#include <string>
#include <vector>

// A small model and request for each problem, and each part of a request added to it.
namespace joint_tests {

/// A model, and what to plan.
struct small_request {
  stagecut::profile model{};
  stagecut::plan_request request{};
};

/// Seven layers as PyTorch and the formats of frameworks name them; four may be recomputed or shared by two devices.
inline stagecut::profile small_chain() {
  stagecut::profile model;
  for (std::size_t i = 0; i < 7; ++i) {
    stagecut::layer each;
    each.name = "layers." + std::to_string(i);
    each.forward = static_cast<double>(2 + i % 3);
    each.backward_input = each.backward_weight = each.forward;
    each.backward = 2 * each.forward;
    each.parameters = 4;
    each.activations = 6;
    each.output = 1;
    if (i > 0 && i < 6) {
      stagecut::layer_variant full;
      full.name = "full";
      full.forward = each.forward;
      full.backward = 3 * each.forward;
      full.backward_input = 2 * each.forward;
      full.backward_weight = each.forward;
      full.parameters = each.parameters;
      full.activations = 1;
      full.output = each.output;
      each.recomputations = std::vector<stagecut::layer_variant>{full};
    }
    model.layers.push_back(each);
  }
  return model;
}

/// The same layers with a branch.
inline stagecut::profile small_graph() {
  stagecut::profile model = small_chain();
  for (stagecut::layer& layer : model.layers) layer.recomputations = std::vector<stagecut::layer_variant>{};
  model.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 6}};
  return model;
}

/// A block of four leaves between two leaves.
inline stagecut::profile small_tree() {
  stagecut::profile model = small_chain();
  for (stagecut::layer& layer : model.layers) layer.recomputations = std::vector<stagecut::layer_variant>{};
  model.layers.insert(model.layers.begin(), 2, stagecut::layer{});
  model.layers[0].name = "model";
  model.layers[0].children = std::vector<std::size_t>{2, 1, 8};
  model.layers[1].name = "block";
  model.layers[1].children = std::vector<std::size_t>{3, 4, 5, 6, 7};
  return model;
}

/// A request of that problem.
inline small_request small_request_of(stagecut::plan_problem problem) {
  small_request result{small_chain(), {}};
  result.request.devices = 2;
  result.request.microbatches = 4;
  switch (problem) {
    case stagecut::plan_problem::chain: break;
    case stagecut::plan_problem::graph: result.model = small_graph(); break;
    case stagecut::plan_problem::communication:
      result.model = small_graph();
      result.request.method = stagecut::graph_method::communication;
      break;
    case stagecut::plan_problem::open_choices: result.request.any_schedule = true; break;
    case stagecut::plan_problem::recomputation: result.request.recomputations.emplace(); break;
    case stagecut::plan_problem::several_devices: result.request.replicas = {1, 2}; break;
    case stagecut::plan_problem::modules:
      result.model = small_tree();
      result.request.method = stagecut::graph_method::modules;
      result.request.microbatches = 0;
      break;
  }
  return result;
}

/// Adds that part to a request.
inline void add_part(stagecut::request_part part, small_request& to) {
  using stagecut::request_part;
  stagecut::plan_request& request = to.request;
  switch (part) {
    case request_part::makespan: request.objective = stagecut::plan_objective::makespan; break;
    case request_part::bottleneck: request.objective = stagecut::plan_objective::bottleneck; break;
    case request_part::balance: request.objective = stagecut::plan_objective::leximax; break;
    case request_part::time_per_token:
      request.objective = stagecut::plan_objective::time_per_token;
      request.inference = true;
      request.microbatches = 0;
      break;
    case request_part::stage_time: request.objective = stagecut::plan_objective::stage_time; break;
    case request_part::another_measure: {
      const bool chain = to.model.edges.empty() && request.method == stagecut::graph_method::automatic;
      request.by = chain ? stagecut::measure::parameters : stagecut::measure::time_and_memory;
      break;
    }
    case request_part::weights: request.weights.assign(to.model.layers.size(), 1); break;
    case request_part::another_schedule:
      request.schedule = stagecut::schedule_kind::zb_h1;
      if (request.any_schedule) request.any_schedule = false, request.choices.microbatches = {4, 8};
      break;
    case request_part::several_per_rank: request.stages_per_rank = 2; break;
    case request_part::synthesized: request.schedule = stagecut::schedule_kind::synthesized; break;
    case request_part::in_flight: request.in_flight = {2, 1}; break;
    case request_part::slices: request.slices = 2; break;
    case request_part::open_choices: request.choices.stages_per_rank = {1, 2}; break;
    case request_part::recomputations: request.recomputations.emplace(); break;
    case request_part::empty_stages: request.empty_stages = true; break;
    case request_part::checkpoint: request.memory_accounting.checkpoint = stagecut::checkpointing::always; break;
    case request_part::replicas: request.replicas = {1, 2}; break;
    case request_part::device_size: request.device_size = 2; break;
    case request_part::inference: request.inference = true, request.microbatches = 0; break;
    case request_part::memory_limit: request.memory_limit = 1000; break;
    case request_part::memory_of_ranks: request.memory_limit = std::vector<double>{1000, 900}; break;
    case request_part::speeds: request.speeds = {1, 2}; break;
    case request_part::topology: request.topology = stagecut::topology({2}, {stagecut::link_speed{10, 0.1}}); break;
    case request_part::target:
      request.target = request.replicas.empty() ? stagecut::framework::pytorch : stagecut::framework::pipedream;
      break;
    case request_part::forbidden_cuts: request.forbidden_cuts = {2}; break;
    case request_part::kept_together: request.kept_together = {stagecut::interval{2, 4}}; break;
    case request_part::start: request.start = stagecut::cuts({0, 3, 7}); break;
    case request_part::graph_method:
      if (request.method == stagecut::graph_method::automatic) request.method = stagecut::graph_method::linear;
      break;
    case request_part::imbalance: request.imbalance *= 2; break;
    case request_part::cpus: request.cpus = 1; break;
    case request_part::at_most: request.at_most = true; break;
  }
}

}  // namespace joint_tests
