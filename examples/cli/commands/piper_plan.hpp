// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/io/graphs/piper_plan.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/joint/baselines/variant_stages.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/minimize_stage_time.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/variant_graph.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/piper_as_plan.hpp"
#include "output/exit_status.hpp"
#include "output/output.hpp"
#include "output/stop_signals.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"

// Plans a Piper graph, which includes its machine, by its slowest stage as Piper does.

/// Rejects options that do not apply to such a graph.
inline void refuse_beside_piper(const CLI::App& command) {
  static constexpr std::string_view known[] = {
      "FILE",     "--devices",    "--memory",     "--microbatches", "--bandwidth",   "--objective",  "--format",
      "--output", "--time-limit", "--node-limit", "--replicate",    "--input-limit", "--input-depth"};
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(std::begin(known), std::end(known), name) != std::end(known)) continue;
    throw CLI::ValidationError(name, "has no effect on a graph of Piper's");
  }
}

/// The request for a graph, which supplies unset options except the devices.
/// @param replicas   as given
/// @param bandwidth  as given; becomes the graph's bandwidth
inline stagecut::hybrid_request piper_request(const stagecut::plan_request& request, const std::string& replicas,
                                              const std::string& bandwidth, stagecut::variant_graph& graph) {
  using stagecut::plan_objective;
  if (request.objective != plan_objective::automatic && request.objective != plan_objective::stage_time) {
    throw CLI::ValidationError("--objective", "of a graph of Piper's is stage-time");
  }
  if (!replicas.empty() && replicas != "auto") {
    throw CLI::ValidationError("--replicate", "is auto for a graph of Piper's: what divides its microbatches");
  }
  if (!request.memory_limit.of_ranks().empty()) throw CLI::ValidationError("--memory", "is one size for all");
  if (!bandwidth.empty()) {
    const auto bytes = parse_bytes(bandwidth);
    if (!bytes || *bytes == 0)
      throw CLI::ValidationError("--bandwidth", fmt::format("{} is no size", shown(bandwidth)));
    graph.bandwidth = *bytes;
  }
  stagecut::hybrid_request asked;
  asked.devices = request.devices;
  asked.at_most = true;
  asked.in_flight_rule = stagecut::in_flight_rule::replicas;
  asked.microbatches = request.microbatches != 0 ? request.microbatches : graph.microbatches;
  asked.memory_limit = request.memory_limit.for_all() ? request.memory_limit.for_all() : graph.memory;
  asked.search = request.search;
  return asked;
}

/// The number of a stage's layers in each variant in use: `vanilla 12, activation recomp 3`.
inline std::string variants_text(const stagecut::variant_graph& graph, const stagecut::variant_stage& stage) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < stage.layers.size(); ++i) ++numbers[variant_of(graph, stage, i).name];
  std::string text;
  for (const auto& [name, number] : numbers) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", shown(name), number);
  }
  return text;
}

/// The stages of a plan, and its proof.
inline std::string piper_text(const stagecut::variant_graph& graph, const stagecut::hybrid_request& request,
                              const stagecut::plan& made, const std::vector<stagecut::variant_stage>& stages) {
  table lines(2);
  lines.add({"stage", "devices", "layers", "count", "time", "in flight", "memory", "variants"});
  std::size_t behind = 0;
  std::size_t devices = 0;
  for (const auto& each : stages) behind += each.replicas, devices += each.replicas * each.tensor_parallel;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const stagecut::planned_stage& stage = made.stages[s];
    const std::size_t held = std::min((behind + stage.replicas - 1) / stage.replicas, request.microbatches);
    behind -= stage.replicas;
    std::string layers;
    for (const std::size_t v : {stages[s].layers.front(), stages[s].layers.back()}) {
      layers += fmt::format("{}{}", layers.empty() ? "" : " .. ", shown(piper_name(graph.layers[v])));
      if (stages[s].layers.size() == 1) break;
    }
    const double kept = static_cast<double>(held * stage.replicas) * stage.memory.activations;
    lines.add({std::to_string(s), fmt::format("{} × {}", stage.replicas, stage.tensor_parallel), layers,
               std::to_string(stages[s].layers.size()), fmt::format("{:.6g}", stage.cost), std::to_string(held),
               bytes_text(stage.memory.resident + kept), variants_text(graph, stages[s])});
  }
  return lines.text([](std::size_t) { return std::string(); }) +
         fmt::format(
             "stage-time: {:.6g}, {}: no plan is below {:.6g}\n{} of {} devices, {} microbatches, replicas take "
             "turns\n",
             made.objective.value, to_string(made.objective.state), made.objective.bound, devices, request.devices,
             request.microbatches);
}

/// The stages of a graph.
/// @throws stagecut::invalid_input with the position
inline std::unique_ptr<const stagecut::variant_stages> piper_stages(stagecut::variant_graph graph,
                                                                    const std::string& source) {
  try {
    return std::make_unique<const stagecut::variant_stages>(std::move(graph));
  } catch (const stagecut::invalid_input& error) {
    throw stagecut::invalid_input(source, error.what());
  }
}

/// Plans a Piper graph and writes the plan.
inline int plan_piper(stagecut::variant_graph graph, const stagecut::hybrid_request& request, const std::string& source,
                      const std::string& format, const std::string& output) {
  using namespace stagecut;
  if (format != "text" && format != "piper" && format != "json") {
    throw CLI::ValidationError("--format", fmt::format("{}: of a graph of Piper's it is text, json or piper", format));
  }
  if (format == "json" && graph.edges.empty() && graph.layers.size() > 1) {
    throw CLI::ValidationError("--format", "json: layers without edges would be a chain there");
  }
  graph.microbatches = request.microbatches;
  const std::unique_ptr<const variant_stages> held = piper_stages(std::move(graph), source);
  const variant_stages& model = *held;
  const auto found = minimize_stage_time(model, request);
  if (!found) {
    const bool known = found.state() == state::infeasible;
    say(fmt::format("{}: {}: {}", source, to_string(found.state()),
                    !known && stop_signals::asked() ? "stopped before a plan was found" : found.why().text()));
    return known ? infeasible : unknown;
  }
  const std::vector<variant_stage> stages = model.stages_of(*found, request.memory_limit.for_all());
  if (format == "piper") {
    write(io::as_piper_plan(model.graph(), stages) + "\n", output);
    return planned;
  }
  const plan made = piper_as_plan(model.graph(), request, found, stages);
  write(format == "json" ? io::as_json(made) + "\n" : piper_text(model.graph(), request, made, stages), output);
  return planned;
}
