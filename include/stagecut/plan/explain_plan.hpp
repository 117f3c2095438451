// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Why a plan cannot be explained, in a few words; empty if it can, as far as its times are those of its layers.
[[nodiscard]] STAGECUT_DECL std::string explanation_obstacle(const plan& made);

/// See `explain_plan`.
struct explain_plan_fn {
  /// See `explain_plan`.
  [[nodiscard]] plan_explanation operator()(const plan& made, const explain_options& options = {}) const;
};

/// Says what holds the iteration of a plan: idle time by cause, the critical path by stages and messages, what one per
/// cent less of every layer, device, link and of the memory is worth, and the changes that would help most.
///
/// Every price and every change is the difference of two simulations by the schedule, links and messages of the plan;
/// nothing is extrapolated. Changes stay within the plan's limits of memory: those whose memory cannot be reckoned are not
/// told. What a plan does not tell, layers that its maker wanted to keep together for instance, is not respected.
///
/// @param made     a plan of a chain, with microbatches and a schedule by name or of its own
/// @param options  how long to search for other cuts, and for which framework
/// @throws         argument_error if there is an `explanation_obstacle`; invalid_input for stages whose times are not the
///                 sums over their layers, and as `schedule_of`, `times_of`, `transfers_of` and `simulate`; what `make_plan`
///                 throws for memory that is none; not_representable for a model that the framework cannot be told
///
/// A simulation for each layer, of equal ones on a stage for one; for each device, boundary, and change. Then up to four
/// searches as of `make_plan`, each within the limits.
inline constexpr explain_plan_fn explain_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/explain_plan.ipp>
#endif
