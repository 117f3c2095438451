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

/// Plans a chain of layers: cuts it into `devices * chunks` stages whose heaviest is as light as possible, or by another
/// `plan_objective`, within the memory of a device, and says what each of them takes.
///
/// @param model    a chain, which `as_chain` makes of a graph; layers of one group, and those between parameters that
///                 are colocated, share a stage
/// @param request  the pipeline, what to cut by, and the memory there is. Where stages are cut by time, a stage takes
///                 that of its device, and over links it takes what the messages at its ends take, if that is more, or
///                 both if they block: the gradients that come back are messages as large
/// @return         optimal, or as below; or infeasible, with the layer or stage that does not fit, the bytes, and what would do. The
///                 plan predicts the iteration if `microbatches` is known and it has no more than
///                 2^20 forward passes
/// @throws         argument_error for a request that makes no sense, for one of the makespan, which `make_plan` minimises,
///                 and for a schedule that cannot run its microbatches; invalid_input if the model has nothing to be cut
///                 by or a sum overflows
///
/// Exact for the measure that was asked for: see `minimize_bottleneck`, `minimize_leximax`, `minimize_range` and
/// `minimize_variance`. Stages stand on the devices as the schedule has them: s on s mod `devices`, or down and back up.
/// Stages that share a device share its memory: within that a plan is optimal if the best cut whose stages fit alone fits;
/// else smaller shares are tried, and the plan is feasible, with that cut's value as its bound, or unknown if none fits.
inline constexpr plan_chain_fn plan_chain{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_chain.ipp>
#endif
