// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/variant_graph.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// Converts a plan of a Piper graph to the common plan format that the other commands read.

/// The variant in which a stage runs one of its layers.
inline const stagecut::run_variant& variant_of(const stagecut::variant_graph& graph,
                                               const stagecut::variant_stage& stage, std::size_t i) {
  const auto& divided = graph.layers[stage.layers[i]].divided;
  const auto of_ways = [&](const stagecut::divided_layer& layer) {
    return layer.tensor_parallel == stage.tensor_parallel;
  };
  return std::find_if(divided.begin(), divided.end(), of_ways)->variants[stage.variants[i]];
}

/// The display name of a layer without a name.
inline std::string piper_name(const stagecut::variant_layer& each) {
  return each.name.empty() ? std::to_string(each.id) : each.name;
}

/// The layers of a graph as the stages of a plan run them. Time and memory are Piper's: they include the messages at
/// cut edges and the gradient exchange, and hold for this plan only. Piper does not split the passes: each gets half.
inline stagecut::profile piper_profile(const stagecut::variant_graph& graph,
                                       const std::vector<stagecut::variant_stage>& stages) {
  using namespace stagecut;
  profile result;
  result.weights_only = true;
  result.layers.resize(graph.layers.size());
  std::vector<std::size_t> stage_of(graph.layers.size());
  std::vector<const run_variant*> runs(graph.layers.size());
  std::vector<double> times(graph.layers.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const double others = 4 * static_cast<double>(stages[s].replicas - 1) / static_cast<double>(graph.microbatches);
    for (std::size_t i = 0; i < stages[s].layers.size(); ++i) {
      const std::size_t v = stages[s].layers[i];
      const run_variant& each = variant_of(graph, stages[s], i);
      stage_of[v] = s, runs[v] = &each;
      times[v] = each.time + others * each.parameters / graph.bandwidth;
      layer& made = result.layers[v];
      made.name = piper_name(graph.layers[v]);
      made.parameters = each.parameters, made.resident = each.resident, made.activations = each.activations;
    }
  }
  std::vector<std::size_t> in(graph.layers.size()), out(graph.layers.size());  // edges so far
  for (const variant_edge& edge : graph.edges) {
    const auto& sent = runs[edge.from]->sent_bytes;
    const auto& received = runs[edge.to]->received_bytes;
    const std::size_t o = out[edge.from]++, i = in[edge.to]++;
    result.edges.push_back({edge.from, edge.to});
    result.layers[edge.from].output = std::max(result.layers[edge.from].output, edge.bytes);
    if (stage_of[edge.from] == stage_of[edge.to]) continue;
    times[edge.from] += 2 * (edge.bytes + (sent.empty() ? 0 : sent[o])) / graph.bandwidth;
    times[edge.to] += 2 * (edge.bytes + (received.empty() ? 0 : received[i])) / graph.bandwidth;
  }
  for (std::size_t v = 0; v < times.size(); ++v) result.layers[v].forward = result.layers[v].backward = times[v] / 2;
  return result;
}

/// Records the variant of each layer, as a recomputation or sharding of that name; `vanilla` on one device is the
/// profiled form.
inline void choose_variants(stagecut::plan& made, const stagecut::variant_graph& graph,
                            const std::vector<stagecut::variant_stage>& stages) {
  made.choices.resize(made.profile.layers.size());
  for (const stagecut::variant_stage& stage : stages) {
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      stagecut::layer& each = made.profile.layers[stage.layers[i]];
      stagecut::layer_variant variant;
      variant.name = variant_of(graph, stage, i).name;
      if (stage.tensor_parallel == 1 && variant.name == "vanilla") continue;
      variant.tensor_parallel = stage.tensor_parallel;
      variant.forward = each.forward, variant.backward = each.backward;
      variant.parameters = each.parameters, variant.resident = each.resident;
      variant.activations = each.activations, variant.output = each.output;
      auto& choice = made.choices[stage.layers[i]];
      (stage.tensor_parallel == 1 ? choice.recomputation : choice.sharding) = variant.name;
      (stage.tensor_parallel == 1 ? each.recomputations : each.shardings).push_back(std::move(variant));
    }
  }
}

/// The tensors between stages: each layer's output, once per stage that takes it.
inline std::vector<stagecut::planned_edge> piper_edges(const stagecut::profile& model,
                                                       const std::vector<std::size_t>& stage_of, std::size_t stages) {
  std::set<std::pair<std::size_t, std::size_t>> sent;  // layer and stage
  for (const auto& [from, to] : model.edges) {
    if (stage_of[from] != stage_of[to]) sent.emplace(from, stage_of[to]);
  }
  std::map<std::pair<std::size_t, std::size_t>, double> bytes;
  for (const auto& [from, to] : sent) bytes[{stage_of[from], to}] += model.layers[from].output;
  std::vector<stagecut::planned_edge> result;
  for (const auto& [ends, sum] : bytes) result.push_back({ends.first, ends.second, sum});
  if (result.empty() && stages > 1)
    result.push_back({0, 1, 0});  // stages without messages; no edges would mean a chain
  return result;
}

/// The stages of a plan with alternating replicas: each has a share of the microbatches in flight.
inline std::vector<stagecut::planned_stage> piper_stages_of(const stagecut::profile& model,
                                                            const std::vector<stagecut::variant_stage>& stages) {
  std::vector<stagecut::planned_stage> result(stages.size());
  std::size_t behind = 0;
  for (std::size_t s = stages.size(); s-- > 0;) {
    stagecut::planned_stage& each = result[s];
    each.device = s, each.replicas = stages[s].replicas, each.tensor_parallel = stages[s].tensor_parallel;
    const auto share = static_cast<double>(each.replicas);
    for (const std::size_t v : stages[s].layers) {
      each.forward += model.layers[v].forward / share;
      each.memory.resident += *model.layers[v].resident;
      each.memory.activations += model.layers[v].activations / share;
    }
    each.backward = each.forward, each.cost = each.forward + each.backward;
    behind += each.replicas;
    each.in_flight = (behind + each.replicas - 1) / each.replicas * each.replicas;
  }
  // No stage has more in flight than the previous one lets through.
  for (std::size_t s = 1; s < result.size(); ++s)
    result[s].in_flight = std::min(result[s].in_flight, result[s - 1].in_flight);
  return result;
}

/// Writes the plan as 1F1B, with Piper's number of microbatches in flight.
inline stagecut::plan piper_as_plan(const stagecut::variant_graph& graph, const stagecut::hybrid_request& request,
                                    const stagecut::outcome<stagecut::hybrid_cut>& found,
                                    const std::vector<stagecut::variant_stage>& stages) {
  using namespace stagecut;
  plan result;
  result.profile = piper_profile(graph, stages);
  result.devices = stages.size();
  result.stages = piper_stages_of(result.profile, stages);
  std::vector<std::size_t> stage_of(graph.layers.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (const std::size_t v : stages[s].layers) stage_of[v] = s;
  }
  result.edges = piper_edges(result.profile, stage_of, stages.size());
  assign_stages(result, std::move(stage_of));
  choose_variants(result, graph, stages);
  result.schedule = {to_string(schedule_kind::in_flight), request.microbatches, {}, 0};
  result.memory.optimizer = "as profiled";
  result.memory.checkpoint = "never";
  result.memory.memory_limit = request.memory_limit;
  double slowest = 0;
  for (const planned_stage& stage : result.stages) slowest = std::max(slowest, stage.cost);
  result.objective = {"stage-time", "time", slowest, std::min(found->bound, slowest), found.state()};
  if (request.microbatches <= most_predicted / stages.size()) {
    result.makespan = stagecut::simulate(schedule_of(result), times_of(result, false)).makespan;
  }
  return result;
}
