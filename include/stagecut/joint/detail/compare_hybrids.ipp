// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/compare_hybrids.hpp>

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

STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model, const hybrid_plan_request& request,
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

STAGECUT_DECL std::vector<compared_hybrid> compare_hybrids(const profile& model, hybrid_plan_request request) {
  request.objective = plan_objective::iteration;
  outcome<plan> own = plan_hybrid(model, request);
  return compare_hybrids(model, request, std::move(own));
}

}  // namespace stagecut::inline STAGECUT_ABI
