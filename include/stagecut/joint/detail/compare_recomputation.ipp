// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/compare_recomputation.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL compared_strategy simulated_strategy(std::string name, const recompute_model& model,
                                                   const recompute_request& request, const recompute_strategy& of) {
  const recompute_run run = simulate_recomputation(model, request, of.cuts, of.choices);
  compared_strategy result;
  result.name = std::move(name);
  result.strategy = of;
  result.makespan = run.makespan;
  result.parts = split_makespan(request.schedule, run.times, run.transfers);
  const auto passes = static_cast<double>(request.schedule.microbatches * request.schedule.slices);
  for (const double each : run.recomputed) result.recomputation += each;
  result.recomputation *= passes / static_cast<double>(request.schedule.ranks());
  result.parts.work -= result.recomputation;
  result.fits = true;
  for (std::size_t r = 0; r < run.memory.size(); ++r) {
    result.memory = std::max(result.memory, run.memory[r]);
    result.fits = result.fits && run.memory[r] <= detail::memory_of(request, r) + request.constant;
  }
  return result;
}

namespace detail {

/// Whether SAPP has an objective for a schedule: stages assigned to ranks in turn, whole backward passes.
[[nodiscard]] inline bool has_sapp_objective(const schedule& order) {
  return !splits_backward(order) && order.stages() % order.ranks() == 0 &&
         order.rank_of == loop_placement(order.ranks(), order.stages() / order.ranks());
}

}  // namespace detail

STAGECUT_DECL std::vector<compared_strategy> compare_recomputation(
    const recompute_model& model, const recompute_request& request, const recompute_strategy& found,
    const std::vector<std::pair<std::string, recompute_strategy>>& own) {
  std::vector<compared_strategy> rows;
  const auto add = [&](const std::string& name, const recompute_strategy& of) {
    if (!detail::parts_layers(model, of.cuts)) return rows.push_back(simulated_strategy(name, model, request, of));
    compared_strategy none;
    none.name = name;
    none.none = "it parts layers that stand together";
    rows.push_back(std::move(none));
  };
  const std::size_t stages = request.schedule.stages();
  add("even, the fastest", even_recomputation(model, stages, even_choice::fastest));
  add("even, the leanest", even_recomputation(model, stages, even_choice::leanest));
  for (const auto& [name, strategy] : own) add(name, strategy);
  if (detail::has_sapp_objective(request.schedule)) {
    const outcome<sapp_surrogate_plan> surrogate = minimize_sapp_surrogate(model, request);
    if (surrogate) {
      add("SAPP's objective", {surrogate->cuts, surrogate->choices});
    } else {
      compared_strategy none;
      none.name = "SAPP's objective";
      none.none = surrogate.why().text();
      rows.push_back(std::move(none));
    }
  }
  add("this plan", found);
  return rows;
}

}  // namespace stagecut::inline STAGECUT_ABI
