// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `plan_chain`.
struct plan_chain_fn {
  /// See `plan_chain`.
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const;
};

/// Plans a chain of layers: cuts it into `devices * stages_per_rank` stages with the smallest bottleneck, or by another
/// `plan_objective`, within the memory of a device, and computes the figures of each stage.
///
/// @param model    a chain, which `as_chain` makes from a graph; layers of one group, and those between colocated
///                 parameters, share a stage
/// @param request  the pipeline, the measure, and the available memory. If stages are cut by time, a stage takes its
///                 device's time; with links, the larger of that and the messages at its ends, or their sum if messages
///                 block: the returning gradients are messages of the same size
/// @return         optimal, or as below; or infeasible, with the layer or stage that does not fit, the bytes, and a
///                 remedy. The plan predicts the iteration if `microbatches` is known and it has at most 2^20 forward
///                 passes
/// @throws         argument_error for an invalid request, for the makespan as objective, which `make_plan` minimises,
///                 and for a schedule that cannot run its microbatches; invalid_input if the model has nothing to be
///                 cut by or a sum overflows
///
/// Exact for the requested objective: see `minimize_bottleneck`, `minimize_leximax`, `minimize_range` and
/// `minimize_variance`. The schedule places stages on devices: s on s mod `devices`, or down and back up. Stages of one
/// device share its memory: within it a plan is optimal if the best cut whose stages fit individually also fits
/// together; else smaller shares are tried, and the plan is feasible, with that cut's value as its bound, or unknown if
/// none fits.
inline constexpr plan_chain_fn plan_chain{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_chain.ipp>
#endif
