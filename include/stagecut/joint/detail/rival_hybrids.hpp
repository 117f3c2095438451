// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/joint/compared_hybrid.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether the objective is the iteration.
[[nodiscard]] inline bool is_iteration(const hybrid_plan_request& request) noexcept {
  return request.objective == plan_objective::automatic || request.objective == plan_objective::iteration;
}

/// The plans of other planners: see `compare_hybrids`. Each gets a tenth of the limits.
/// @param quick  whether, without limits, each search ends after a million nodes, with or without a proof
[[nodiscard]] inline std::vector<compared_hybrid> rival_plans(const profile& model, const hybrid_plan_request& request,
                                                              bool quick);

/// The best plan, starting from a known one.
/// @param known  a plan with a short iteration that keeps to the request; null: none
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_hybrid_from(const profile& model, const hybrid_plan_request& request,
                                                           const plan* known);

/// The same, followed by the plan with the shortest iteration, within the rest of the time, starting from the best of
/// the others.
/// @param quick  as for `rival_plans`
[[nodiscard]] inline std::vector<compared_hybrid> plans_beside(const profile& model, hybrid_plan_request request,
                                                               bool quick);

/// The one that finishes first, as a plan for the shortest iteration without a proof; unknown if there is none.
[[nodiscard]] inline outcome<plan> best_rival(const std::vector<compared_hybrid>& rivals);

/// Another planner: its objective and its choices.
struct hybrid_rival {
  const char* name;
  const char* minimises;
  const char* chooses;
  plan_objective objective;
  bool shards;
  bool recomputes;
  latency_options length;
  stage_measure measure = stage_measure::passes;
};

inline constexpr hybrid_rival hybrid_rivals[] = {
    {"PipeDream", "stage time", "replicas", plan_objective::stage_time, false, false, {}, stage_measure::pipedream},
    {"DAPPLE", "latency, exchange", "replicas", plan_objective::pipeline_latency, false, false, {true, true}},
    {"Piper", "stage time", "all", plan_objective::stage_time, true, true, {}, stage_measure::piper},
    {"Alpa", "latency", "replicas, TP", plan_objective::pipeline_latency, true, false, {}},
};

/// Whether a framework can express the recomputation of layers as profiled.
[[nodiscard]] inline bool can_be_told(framework target, const std::vector<std::string>& names) {
  if (target == framework::none || entry_of(target).recomputed != recomputation_rule::decoders) return true;
  for (const std::string& name : names) {
    if (name != "none" && name != "selective" && name != "full") return false;
  }
  return true;
}

/// The request of such a planner; without tensor-parallel degrees it has no plan.
[[nodiscard]] inline hybrid_plan_request asked_of(const hybrid_rival& rival, const profile& model,
                                                  const hybrid_plan_request& request) {
  hybrid_plan_request asked = request;
  asked.objective = rival.objective;
  asked.length = rival.length;
  asked.choices.measure = rival.measure;
  asked.choices.microbatches = request.pipeline.microbatches;
  asked.pipeline.search.progress = {};
  const auto holds = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  // What the user fixed to a single value stays.
  if (!rival.shards && holds(asked.choices.tensor_parallel, std::size_t{1})) asked.choices.tensor_parallel = {1};
  const std::vector<std::string> profiled = own_recomputations(model);
  const auto& names = asked.choices.recomputations;
  bool known = names.empty();
  for (const std::string& each : profiled) known = known || holds(names, each);
  if (!rival.recomputes && known) asked.choices.recomputations = profiled;
  asked.choices.tensor_parallel = ways_of_all(model, asked.choices.tensor_parallel, asked.choices.recomputations);
  if (!can_be_told(request.target, asked.choices.recomputations)) asked.choices.tensor_parallel.clear();
  return asked;
}

inline std::vector<compared_hybrid> rival_plans(const profile& model, const hybrid_plan_request& request, bool quick) {
  constexpr std::size_t quick_nodes = 1'000'000;
  const engine::shared_effort effort(request.pipeline.search);
  std::vector<compared_hybrid> rows;
  for (const hybrid_rival& rival : hybrid_rivals) {
    hybrid_plan_request asked = asked_of(rival, model, request);
    asked.pipeline.search = effort.share(0, 0.1);
    asked.pipeline.search.progress = {};
    if (quick && !effort.is_limited()) asked.pipeline.search.node_limit = quick_nodes;
    rows.push_back({rival.name, rival.minimises, rival.chooses,
                    asked.choices.tensor_parallel.empty() ? outcome<plan>::infeasible({reason::cause::constraint})
                                                          : plan_hybrid_from(model, asked, nullptr)});
  }
  return rows;
}

inline outcome<plan> best_rival(const std::vector<compared_hybrid>& rivals) {
  const plan* best = nullptr;
  for (const compared_hybrid& rival : rivals) {
    if (rival.made && (best == nullptr || *rival.made->makespan < *best->makespan)) {
      best = __builtin_addressof(*rival.made);
    }
  }
  if (best == nullptr) return outcome<plan>::unknown({reason::cause::limit_reached});
  plan made = *best;
  for (planned_stage& stage : made.stages) stage.cost = stage.forward + stage.backward;
  made.objective = {to_string(plan_objective::iteration), "time", *made.makespan, 0, state::feasible};
  return outcome<plan>::feasible(std::move(made));
}

inline std::vector<compared_hybrid> plans_beside(const profile& model, hybrid_plan_request request, bool quick) {
  const engine::shared_effort effort(request.pipeline.search);
  request.pipeline.search = effort.share(1);
  std::vector<compared_hybrid> rows = rival_plans(model, request, quick);
  request.pipeline.search = effort.share(1);
  const outcome<plan> known = best_rival(rows);
  request.objective = plan_objective::iteration;
  rows.push_back({"stagecut", "iteration", "all",
                  plan_hybrid_from(model, request, known ? __builtin_addressof(*known) : nullptr)});
  return rows;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
