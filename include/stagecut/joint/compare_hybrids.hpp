// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/joint/minimize_pipeline_length.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan by what a planner minimises, and among what it chooses.
struct compared_hybrid {
  std::string name{};       ///< the planner
  std::string minimises{};  ///< its measure
  std::string chooses{};    ///< what it may choose
  outcome<plan> made{};     ///< its plan, simulated as all others are
};

/// What planners choose for one model on one machine: each minimises its own measure among its own choices, and all plans
/// are simulated alike, with messages, replicas and the exchange of gradients.
///
/// @param model    as for `plan_hybrid`
/// @param request  likewise; every planner keeps to its memory, counted as it is, so that its plan can be run, and has its
///                 limits
/// @param own      the plan of least iteration, as `plan_hybrid` has it
/// @return         PipeDream's, DAPPLE's, Piper's and Alpa's choice, and that of the least iteration, in this order. The first two
///                 know no tensor parallelism and no recomputation, Alpa no recomputation
/// @throws         as `plan_hybrid`
///
/// They are the objectives and choices of those planners in this library's model of a machine, not their programs.
///
/// Source: D. Narayanan et al., SOSP 2019; S. Fan et al., PPoPP 2021; J. M. Tarnawski et al., NeurIPS 2021; L. Zheng et al.,
/// OSDI 2022.
[[nodiscard]] inline std::vector<compared_hybrid> compare_hybrids(const profile& model,
                                                                  const hybrid_plan_request& request,
                                                                  outcome<plan> own) {
  std::vector<compared_hybrid> rows;
  const auto add = [&](const char* name, const char* minimises, const char* chooses, plan_objective objective,
                       bool shards, bool recomputes, length_options length) {
    hybrid_plan_request asked = request;
    asked.objective = objective;
    asked.length = length;
    const auto holds = [](const auto& list, const auto& one) {
      for (const auto& each : list) {
        if (each == one) return true;
      }
      return false;
    };
    // What was asked for without a choice stays.
    if (!shards && holds(asked.choices.ways, std::size_t{1})) asked.choices.ways = {1};
    const std::vector<std::string> profiled = detail::own_recomputations(model);
    const auto& names = asked.choices.recomputations;
    bool known = names.empty();
    for (const std::string& each : profiled) known = known || holds(names, each);
    if (!recomputes && known) asked.choices.recomputations = profiled;
    asked.choices.ways = detail::ways_of_all(model, asked.choices.ways, asked.choices.recomputations);
    const bool none = asked.choices.ways.empty();
    rows.push_back({name, minimises, chooses,
                    none ? outcome<plan>::infeasible({reason::cause::constraint}) : plan_hybrid(model, asked)});
  };
  add("PipeDream", "stage time", "replicas", plan_objective::stage_time, false, false, {});
  add("DAPPLE", "length, exchange", "replicas", plan_objective::pipeline_length, false, false, {true, true});
  add("Piper", "stage time", "all", plan_objective::stage_time, true, true, {});
  add("Alpa", "length", "replicas, shards", plan_objective::pipeline_length, true, false, {});
  rows.push_back({"stagecut", "iteration", "all", std::move(own)});
  return rows;
}
/// The same, which makes that plan, too.
[[nodiscard]] inline std::vector<compared_hybrid> compare_hybrids(const profile& model, hybrid_plan_request request) {
  request.objective = plan_objective::iteration;
  outcome<plan> own = plan_hybrid(model, request);
  return compare_hybrids(model, request, std::move(own));
}

}  // namespace stagecut::inline STAGECUT_ABI
