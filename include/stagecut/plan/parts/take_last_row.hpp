// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Takes the plan of the last row if it is better than those before; what is proved of the best then includes that row.
inline void take_last_row(plan_comparison& all, outcome<plan> found) {
  const compared_plan& row = all.compared.back();
  double best = std::numeric_limits<double>::infinity();
  double open = best;    // no plan takes less per microbatch
  double before = best;  // the best of the other rows
  for (const compared_plan& each : all.compared) {
    if (each.state == state::infeasible || each.pipelines == 0) continue;
    const double bound = each.bound / static_cast<double>(each.microbatches * each.pipelines);
    open = bound < open ? bound : open;
    if (each.makespan > 0 && each.per_microbatch < best) best = each.per_microbatch;
    if (__builtin_addressof(each) != __builtin_addressof(row)) before = best;
  }
  const bool is_best = row.makespan > 0 && row.per_microbatch < before;
  if (!is_best && !all.best) {
    if (found.state() == state::unknown) all.best = outcome<plan>::unknown(all.best.why());
    return;
  }
  plan made = is_best ? *std::move(found) : *std::move(all.best);
  const bool optimal = !(open < best);
  made.objective.bound = optimal ? made.objective.value : made.objective.value * (open / best);
  made.objective.state = optimal ? state::optimal : state::feasible;
  all.best = optimal ? outcome<plan>::optimal(std::move(made)) : outcome<plan>::feasible(std::move(made));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
