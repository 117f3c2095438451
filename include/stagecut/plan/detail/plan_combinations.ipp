// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_combinations.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/plan/detail/plan_combination_rows.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/parts/request_problem.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

inline constexpr request_part_entry request_part_entries[] = {
    {request_part::makespan, "makespan", "objective",
     [](const profile&, const plan_request& r) { return r.objective == plan_objective::makespan; }},
    {request_part::bottleneck, "bottleneck", "objective",
     [](const profile&, const plan_request& r) { return r.objective == plan_objective::bottleneck; }},
    {request_part::balance, "leximax, range, variance", "objective",
     [](const profile&, const plan_request& r) {
       return r.objective == plan_objective::leximax || r.objective == plan_objective::range ||
              r.objective == plan_objective::variance;
     }},
    {request_part::time_per_token, "time per token", "objective",
     [](const profile&, const plan_request& r) { return r.objective == plan_objective::time_per_token; }},
    {request_part::stage_time, "stage time, pipeline latency", "objective",
     [](const profile&, const plan_request& r) {
       return r.objective == plan_objective::stage_time || r.objective == plan_objective::pipeline_latency;
     }},
    {request_part::another_measure, "another measure than time", "by",
     [](const profile&, const plan_request& r) { return r.by != measure::time; }},
    {request_part::weights, "weights without their measure", "weights",
     [](const profile&, const plan_request& r) {
       return (!r.weights.empty() && r.by != measure::weights) ||
              (r.by != measure::time_and_memory && r.time_weight != plan_request().time_weight);
     }},
    {request_part::another_schedule, "a named schedule", "schedule",
     [](const profile&, const plan_request& r) {
       return r.schedule != schedule_kind::one_forward_one_backward && r.schedule != schedule_kind::synthesized;
     }},
    {request_part::several_per_rank, "several stages a rank", "stages_per_rank",
     [](const profile&, const plan_request& r) { return r.stages_per_rank > 1; }},
    {request_part::synthesized, "a synthesized schedule", "schedule",
     [](const profile&, const plan_request& r) { return r.schedule == schedule_kind::synthesized; }},
    {request_part::in_flight, "numbers in flight", "in_flight",
     [](const profile&, const plan_request& r) { return r.best_in_flight || !r.in_flight.empty(); }},
    {request_part::slices, "slices of sequences", "slices",
     [](const profile&, const plan_request& r) { return r.slices > 1; }},
    {request_part::open_choices, "open choices", "choices",
     [](const profile&, const plan_request& r) { return has_open_choices(r); }},
    {request_part::recomputations, "recomputation by layer", "recomputations",
     [](const profile&, const plan_request& r) { return r.recomputations.has_value(); }},
    {request_part::empty_stages, "stages without layers", "empty_stages",
     [](const profile&, const plan_request& r) { return r.empty_stages; }},
    {request_part::checkpoint, "recomputation of all layers", "memory_accounting.checkpoint",
     [](const profile&, const plan_request& r) { return r.memory_accounting.checkpoint != checkpointing::never; }},
    {request_part::replicas, "replicas, tensor parallelism", "replicas",
     [](const profile&, const plan_request& r) { return has_several_devices(r); }},
    {request_part::device_size, "several processors a device", "device_size",
     [](const profile&, const plan_request& r) { return r.device_size != 1; }},
    {request_part::inference, "inference", "inference",
     [](const profile& m, const plan_request& r) { return r.inference || m.inference; }},
    {request_part::memory_limit, "a memory limit", "memory_limit",
     [](const profile&, const plan_request& r) { return r.memory_limit.for_all().has_value(); }},
    {request_part::memory_of_ranks, "a limit for each rank", "memory_limit",
     [](const profile&, const plan_request& r) { return !r.memory_limit.of_ranks().empty(); }},
    {request_part::speeds, "unlike speeds", "speeds",
     [](const profile&, const plan_request& r) { return !r.speeds.empty(); }},
    {request_part::topology, "a topology", "topology",
     [](const profile&, const plan_request& r) { return r.topology.has_value(); }},
    {request_part::target, "a target framework", "target",
     [](const profile&, const plan_request& r) { return r.target != framework::none; }},
    {request_part::forbidden_cuts, "forbidden cuts", "forbidden_cuts",
     [](const profile&, const plan_request& r) { return !r.forbidden_cuts.empty(); }},
    {request_part::kept_together, "layers kept together", "kept_together",
     [](const profile&, const plan_request& r) { return !r.kept_together.empty(); }},
    {request_part::start, "an initial cut", "start",
     [](const profile&, const plan_request& r) { return r.start.stages() != 0; }},
    {request_part::graph_method, "a method for graphs", "method",
     [](const profile&, const plan_request& r) {
       return r.as_graph || (r.method != graph_method::automatic && r.method != graph_method::modules);
     }},
    {request_part::imbalance, "an imbalance", "imbalance",
     [](const profile&, const plan_request& r) { return r.imbalance != plan_request().imbalance; }},
    {request_part::cpus, "CPUs", "cpus", [](const profile&, const plan_request& r) { return r.cpus != 0; }},
    {request_part::at_most, "fewer stages than devices", "at_most",
     [](const profile&, const plan_request& r) { return r.at_most; }},
};

}  // namespace detail

namespace detail {

/// The value of a part of a request that is one word or number; `{…}` for others.
[[nodiscard]] inline std::string value_of_part(request_part part, const plan_request& request) {
  switch (part) {
    case request_part::makespan:
    case request_part::bottleneck:
    case request_part::balance:
    case request_part::time_per_token:
    case request_part::stage_time: return to_string(request.objective);
    case request_part::another_schedule:
    case request_part::synthesized: return to_string(request.schedule);
    case request_part::several_per_rank: return std::to_string(request.stages_per_rank);
    case request_part::slices: return std::to_string(request.slices);
    case request_part::device_size: return std::to_string(request.device_size);
    case request_part::cpus: return std::to_string(request.cpus);
    case request_part::checkpoint: return to_string(request.memory_accounting.checkpoint);
    case request_part::memory_limit: return number_text(*request.memory_limit.for_all());
    case request_part::imbalance: return number_text(request.imbalance);
    case request_part::target: return entry_of(request.target).name;
    case request_part::inference:
    case request_part::empty_stages:
    case request_part::at_most: return "true";
    default: return "{…}";
  }
}

}  // namespace detail

STAGECUT_DECL view<const request_part_entry> request_parts() noexcept { return detail::request_part_entries; }

STAGECUT_DECL view<const plan_combination> plan_combinations() noexcept { return detail::plan_combination_rows; }

STAGECUT_DECL plan_problem problem_of(const profile& model, const plan_request& request) {
  if (request.method == graph_method::modules) return plan_problem::modules;
  if (detail::has_several_devices(request)) return plan_problem::several_devices;
  if (request.recomputations || request.slices > 1) return plan_problem::recomputation;
  if (request.method == graph_method::communication) return plan_problem::communication;
  if (detail::has_open_choices(request)) return plan_problem::open_choices;
  if (detail::is_for_graphs(model, request)) return plan_problem::graph;
  return model.edges.empty() || is_chain(model) ? plan_problem::chain : plan_problem::graph;
}

STAGECUT_DECL std::vector<plan_combination> combinations_of(const profile& model, const plan_request& request) {
  const plan_problem problem = problem_of(model, request);
  std::vector<plan_combination> result;
  for (const plan_combination& row : plan_combinations()) {
    if (row.problem != problem) continue;
    const request_part_entry& entry = request_parts()[static_cast<std::size_t>(row.part)];
    if (entry.is_in(model, request)) result.push_back(row);
  }
  return result;
}

STAGECUT_DECL void check_combinations(const profile& model, const plan_request& request) {
  for (const plan_combination& row : combinations_of(model, request)) {
    if (row.proof != plan_proof::refused) continue;
    const request_part_entry& entry = request_parts()[static_cast<std::size_t>(row.part)];
    detail::fail(argument_error("plan_model", entry.field, detail::value_of_part(row.part, request), row.why));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
