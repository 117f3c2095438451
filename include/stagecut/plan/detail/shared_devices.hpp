// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/plan/detail/explain_infeasible_plan.hpp>
#include <stagecut/plan/detail/is_better_plan.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulation.hpp>

// Memory of devices that several stages share, if stages are cut by individual costs.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The first device whose peak exceeds its limit, with the bytes; unset: all fit.
/// @pre the schedule of the plan can be made, and its memory was computed
[[nodiscard]] inline std::optional<reason> fullest_over_limit(const plan& made) {
  std::size_t rank = 0;
  for (const rank_memory<double>& memory : memory_curve(schedule_of(made), simulation<double>(), bytes_of(made))) {
    const std::optional<double> limit = memory_limit_of(made, rank);
    if (limit && memory.peak() > *limit) {
      return reason{reason::cause::memory, engine::whole_bytes(memory.peak()), engine::floor_bytes(*limit),
                    joined({"device ", rank, " with this cut"}), "another cut may fit"};
    }
    ++rank;
  }
  return std::nullopt;
}

/// Why no cut fits even if every stage had its device to itself.
[[nodiscard]] inline reason lone_stage_shortage(const plan_request& request, const cuts& blocks,
                                                const training_memory& memory, const std::vector<stage_moments>& held) {
  const std::vector<double> own = bytes_of_devices(request);
  memory_fit fit(blocks, memory, limits_of(request));
  const auto fits = [&](double most) {
    const std::vector<double> allowed = stretched(own, most);
    std::vector<double> bytes;
    for (const std::size_t rank : placement_of(request)) bytes.push_back(allowed[rank]);
    return fit(held, bytes);
  };
  reason why = detail::chunks_shortage(request, fits);
  why.remedy.clear();  // that remedy is too little for all stages of a device
  return why;
}

/// A plan whose stages fit into the devices that they share, found by limiting each to a smaller share of its device.
///
/// @param over        why the best cut whose stages fit individually does not fit
/// @param alone       the best plan whose stages fit individually, which no plan that fits beats, with the bound
/// @param cut_within  the best cut of `(request, share)`: no stage takes more than that share of its device's bytes
/// @param planned     the plan of `(cut, state)`
/// @return            optimal if it meets the bound, else feasible; unknown if none was found, which does not prove
///                    that there is none
template <class CutWithin, class Planned>
[[nodiscard]] outcome<plan> within_shared_devices(const plan_request& request, reason over, const plan& alone,
                                                  const CutWithin& cut_within, const Planned& planned) {
  constexpr std::size_t steps = 8;
  plan_request asked = request;
  if (asked.search.time_limit) *asked.search.time_limit /= static_cast<double>(steps);
  const double least =
      1 / static_cast<double>(request.stages_per_rank);  // with this share the stages of a device fit together
  std::optional<plan> best;
  for (std::size_t k = 1; k <= steps; ++k) {
    const double share = 1 - (1 - least) * static_cast<double>(k) / static_cast<double>(steps);
    const auto found = cut_within(asked, share);
    if (!found) continue;
    plan made = planned(*found, state::feasible);
    if (fullest_over_limit(made)) continue;
    if (!best || is_better_plan(made, *best)) best = std::move(made);
  }
  if (!best) {
    over.remedy = "no other cut was found; by the makespan one may be";
    return outcome<plan>::unknown(std::move(over));
  }
  best->objective.bound = alone.objective.bound;
  // Without a proof of the first plan, further stages of a leximax plan may be lighter.
  const bool by_lists = best->objective.name == to_string(plan_objective::leximax);
  const bool proved = by_lists ? alone.objective.state == state::optimal && !is_better_plan(alone, *best)
                               : best->objective.value <= alone.objective.bound;
  if (proved) {
    best->objective.state = state::optimal;
    return outcome<plan>::optimal(*std::move(best));
  }
  return outcome<plan>::feasible(*std::move(best));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
