// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/as_inference.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/measure_flags.hpp"
#include "output/computed_text.hpp"
#include "request_flags.hpp"

/// The keywords of `stagecut.plan`.
class plan_flags : public request_flags {
 public:
  explicit plan_flags(const std::string& text) : request_flags("plan", text) {}

  /// Whether to search for a plan, or only to score the starting cut.
  [[nodiscard]] bool searches() const { return find("search") == nullptr || find("search")->get<bool>(); }

  /// The request for a model.
  /// @param model  becomes the model as it is planned: a graph that is a chain is that chain
  /// @throws argument_error for unknown words, and for keywords that no plan uses together
  [[nodiscard]] stagecut::plan_request request_of(stagecut::profile& model) const {
    stagecut::plan_request result;
    read("devices", result.devices);
    ask_method(result);
    if (result.method == stagecut::graph_method::modules) {
      ask_modules(result);
      return result;
    }
    ask_schedule(result);
    ask_objective(result);
    ask_target(result);
    ask_devices(result);
    ask_graph(model, result);
    convert(model, result);
    ask_layers(model, result);
    ask_start(result);
    limit(model, result);
    ask_recomputation(model, result);
    ask_replicas(model, result);
    check_graph(model, result);
    ask_search(result);
    return result;
  }

 private:
  /// The measure of stages, or for a graph or a module tree its method.
  void ask_method(stagecut::plan_request& result) const {
    const std::string words =
        stagecut::list_names(measure_flags) + ", modules, " + stagecut::list_names(stagecut::graph_method_names);
    word("method", words, [&](const std::string& name) {
      const auto* const of_graph = stagecut::find_name(stagecut::graph_method_names, name);
      const auto* const known = stagecut::find_name(measure_flags, name);
      if (of_graph != nullptr) result.method = of_graph->value;
      result.as_graph = of_graph != nullptr && of_graph->value == stagecut::graph_method::automatic;
      if (name == "modules") result.method = stagecut::graph_method::modules;
      if (known != nullptr) result.by = known->value;
      return of_graph != nullptr || known != nullptr || name == "modules";
    });
    ask_weights(result);
  }

  /// Weights of layers, or of time, and the measures that they make.
  void ask_weights(stagecut::plan_request& result) const {
    const bool timed = find("method") == nullptr || has_text("method", "time");
    if (find("weights") != nullptr) {
      if (find("method") != nullptr) refuse("weights", "are the method themselves: leave out method");
      result.by = stagecut::measure::weights;
      read("weights", result.weights);
    }
    if (find("time_weight") == nullptr) return;
    const bool graph = result.method != stagecut::graph_method::automatic || result.as_graph;
    if ((!timed && !graph) || find("weights") != nullptr)
      refuse("time_weight", "goes with method = \"time\", or of a graph");
    result.by = stagecut::measure::time_and_memory;
    read("time_weight", result.time_weight);
  }

  /// The request for a module tree, which takes few keywords.
  void ask_modules(stagecut::plan_request& result) const {
    static constexpr std::string_view known[] = {"devices", "method", "time_weight", "optimizer"};
    for (const auto& [name, value] : all().items()) {
      if (std::find(std::begin(known), std::end(known), name) != std::end(known)) continue;
      refuse(name, "must be left out for a module tree, whose modules are assigned by their cost alone");
    }
    ask_devices(result);
  }

  /// The schedule, its microbatches, and the stages of each rank.
  void ask_schedule(stagecut::plan_request& result) const {
    read("microbatches", result.microbatches);
    read("group", result.group);
    named("checkpoint", stagecut::checkpointing_names, result.memory_accounting.checkpoint);
    result.any_schedule = has_text("schedule", "auto");
    const std::vector<std::size_t> per_rank = counts("stages_per_rank");
    if (!per_rank.empty() && !result.any_schedule) result.stages_per_rank = per_rank[0];
    if (result.any_schedule || per_rank.size() > 1) result.choices.stages_per_rank = per_rank;
    if (!result.any_schedule) {
      word("schedule", "auto, " + stagecut::list_names(stagecut::schedules), [&](const std::string& name) {
        const auto* const known = stagecut::find_schedule(name);
        if (known == nullptr) return false;
        result.schedule = known->kind;
        if (per_rank.empty() && known->stages_per_rank != 0) result.stages_per_rank = known->stages_per_rank;
        return true;
      });
    }
    const json* const given = find("in_flight");
    if (given == nullptr) return;
    result.best_in_flight = has_text("in_flight", "auto");
    if (given->is_string() && !result.best_in_flight) refuse("in_flight", "must be a list, or auto");
    if (given->is_array()) read("in_flight", result.in_flight);
  }

  /// The objective; throughput corresponds to the smallest bottleneck.
  void ask_objective(stagecut::plan_request& result) const {
    if (has_text("objective", "throughput"))
      result.objective = stagecut::plan_objective::bottleneck;
    else
      named("objective", stagecut::objective_names, result.objective);
  }

  void ask_target(stagecut::plan_request& result) const {
    word("target", stagecut::list_names(stagecut::targets), [&](const std::string& name) {
      const auto* const known = stagecut::find_target(name);
      if (known != nullptr) result.target = known->kind;
      return known != nullptr;
    });
  }

  /// What only graphs have; the CPUs of the profile's machine are the default, as in the program.
  void ask_graph(const stagecut::profile& model, stagecut::plan_request& result) const {
    const bool others = find("recompute") != nullptr || find("slices") != nullptr || asks_several_devices(result);
    if (!model.edges.empty() && !others && !is_without_cpus(result)) result.cpus = model.machine.cpus;
    read("cpus", result.cpus);
    read("at_most", result.at_most);
    read("imbalance", result.imbalance);
    if (find("imbalance") != nullptr && !has_text("method", "communication")) {
      refuse("imbalance", "goes with method = \"communication\"");
    }
  }

  /// Whether a request for a graph has no use for CPUs: stages in a row, and plans by the makespan, have none.
  [[nodiscard]] bool is_without_cpus(const stagecut::plan_request& request) const {
    const bool makespan = request.objective == stagecut::plan_objective::makespan;
    if (makespan || request.method == stagecut::graph_method::communication) return true;
    if (request.method != stagecut::graph_method::automatic || request.as_graph) return false;
    const bool named = find("schedule") != nullptr && !has_text("schedule", "1f1b") && !has_text("schedule", "gpipe");
    return named || request.target == stagecut::framework::pytorch;
  }

  /// Rejects what only graphs have, for a chain.
  void check_graph(const stagecut::profile& model, const stagecut::plan_request& request) const {
    if (!model.edges.empty() || request.recomputations || request.slices > 1 || asks_several_devices(request)) return;
    if (request.cpus != 0) refuse("cpus", "are for graphs: these layers are a chain");
    if (request.at_most) refuse("at_most", "is for graphs and replicas: a chain has a stage on each of the devices");
  }

  /// Removes modules and, for inference, backward passes; a graph becomes a chain where that plans the same.
  void convert(stagecut::profile& model, stagecut::plan_request& result) const {
    read("inference", result.inference);
    model = stagecut::flatten_modules(std::move(model));
    if (result.inference) model = stagecut::as_inference(std::move(model));
    bool graph =
        result.cpus != 0 || result.at_most || result.as_graph || result.method != stagecut::graph_method::automatic;
    for (const stagecut::layer& layer : model.layers) {
      graph = graph || layer.stage || !layer.accelerator || layer.is_backward;
    }
    if (!graph && stagecut::is_chain(model)) model = stagecut::as_chain(std::move(model));
  }

  void ask_start(stagecut::plan_request& result) const {
    const json* const given = find("start");
    if (given == nullptr) return;
    const auto points = given->get<std::vector<std::size_t>>();
    try {
      result.start = stagecut::cuts(points);
    } catch (const stagecut::argument_error& error) {
      refuse("start", "must be increasing cuts, from 0 to the number of layers");
    }
  }

  /// Recomputation and slices, which are planned together with the cut.
  void ask_recomputation(const stagecut::profile& model, stagecut::plan_request& result) const {
    read("slices", result.slices);
    read("empty_stages", result.empty_stages);
    if (find("recompute") != nullptr) {
      result.recomputations.emplace();
      if (!has_text("recompute", "auto")) read("recompute", *result.recomputations);
      if (!model.inference) check_recomputations(model, *result.recomputations);
    }
    if (!result.recomputations && result.slices == 1) return;
    if (result.any_schedule) {
      refuse("schedule", "does not go with recompute or slices: leave it out, and list stages_per_rank, as [1, 2, 4]");
    }
    result.any_schedule = find("schedule") == nullptr && !asks_several_devices(result);
  }

  /// Rejects a recomputation that no layer has.
  void check_recomputations(const stagecut::profile& model, const std::vector<std::string>& names) const {
    std::set<std::string> known;
    bool any = false;
    for (const stagecut::layer& layer : model.layers) {
      known.insert(layer.recomputation.empty() ? std::string("none") : layer.recomputation.get());
      for (const stagecut::layer_variant& variant : layer.recomputations.get()) known.insert(variant.name);
      for (const stagecut::layer_variant& variant : layer.shardings.get()) {
        if (!variant.recomputation.empty()) known.insert(variant.recomputation);
        any = any || !variant.recomputation.empty();
      }
      any = any || !layer.recomputations.empty();
    }
    if (names.empty() && !any) refuse("recompute", "no layer defines how it could be recomputed: \"recomputations\"");
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    for (const std::string& name : names) {
      if (known.count(name) == 0) refuse("recompute", "layers have " + list + "; or auto for all");
    }
  }

  /// Whether stages may have several devices.
  [[nodiscard]] bool asks_several_devices(const stagecut::plan_request& request) const {
    using of = stagecut::plan_objective;
    return find("replicas") != nullptr || find("tensor_parallel") != nullptr || request.objective == of::iteration ||
           request.objective == of::stage_time || request.objective == of::pipeline_latency;
  }

  /// Replicas and tensor-parallel degrees of stages.
  void ask_replicas(const stagecut::profile& model, stagecut::plan_request& result) const {
    read("device_size", result.device_size);
    if (!asks_several_devices(result)) return;
    for (const char* const name : {"transfers", "group"}) {
      if (find(name) != nullptr) refuse(name, "must be left out where stages have several devices");
    }
    result.replicas = counts("replicas");
    check_samples(model, result);
    const std::set<std::size_t> known = sharded_degrees(model, result.devices);
    if (has_text("tensor_parallel", "auto")) {
      if (known.size() == 1)
        refuse("tensor_parallel", "no layer defines how several devices would share it: \"shardings\"");
      result.tensor_parallel.assign(known.begin(), known.end());
      return;
    }
    if (find("tensor_parallel") != nullptr && find("tensor_parallel")->is_string()) {
      refuse("tensor_parallel", "must be a number, a list, or auto");
    }
    result.tensor_parallel = counts("tensor_parallel");
    for (const std::size_t degree : result.tensor_parallel) {
      if (degree > result.devices || known.count(degree) != 0) continue;  // too many devices: the planner says so
      refuse("tensor_parallel",
             "no layer says how " + std::to_string(degree) + " devices would share it: \"shardings\"");
    }
  }

  /// Rejects replicas that cannot share the samples of a microbatch, if the number of samples is known.
  void check_samples(const stagecut::profile& model, const stagecut::plan_request& request) const {
    const auto samples = computed_figure<std::size_t>(computed_figures(model), "microbatch", 0);
    const bool alike = request.target != stagecut::framework::none &&
                       stagecut::entry_of(request.target).devices == stagecut::stage_devices::alike;
    if (samples == 0 || alike) return;
    for (const std::size_t each : request.replicas) {
      if (each == 0 || samples % each == 0) continue;
      refuse("replicas",
             std::to_string(each) + " replicas cannot share the samples of a microbatch, " + std::to_string(samples));
    }
  }

  /// One, and the tensor-parallel degrees of layers up to the number of devices.
  [[nodiscard]] static std::set<std::size_t> sharded_degrees(const stagecut::profile& model, std::size_t most) {
    std::set<std::size_t> result = {1};
    for (const stagecut::layer& layer : model.layers) {
      for (const stagecut::layer_variant& variant : layer.shardings.get()) {
        if (variant.tensor_parallel <= most) result.insert(variant.tensor_parallel);
      }
    }
    return result;
  }

  /// The limits of the search; without one, the library's usual one holds.
  void ask_search(stagecut::plan_request& result) const {
    if (const json* const given = find("time_limit")) result.search.time_limit = given->get<double>();
    if (const json* const given = find("node_limit")) result.search.node_limit = given->get<std::size_t>();
  }
};
