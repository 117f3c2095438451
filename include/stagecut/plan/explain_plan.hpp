// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Why a plan cannot be explained, in a few words; empty if it can, provided that its times are those of its layers.
[[nodiscard]] STAGECUT_DECL std::string explanation_obstacle(const plan& made);

/// See `explain_plan`.
struct explain_plan_fn {
  /// See `explain_plan`.
  [[nodiscard]] plan_explanation operator()(const plan& made, const explain_options& options = {}) const;
};

/// Explains what limits the iteration of a plan: idle time by cause, the critical path by stages and messages, the
/// worth of one per cent less of every layer, device, link and of the memory, and the most helpful changes.
///
/// Every price and every change is the difference of two simulations with the plan's schedule, links and messages;
/// nothing is extrapolated. Changes stay within the plan's memory limits: those whose memory cannot be computed are
/// omitted. What a plan does not record, such as layers that its maker wanted to keep together, is ignored.
///
/// @param made     a plan of a chain, with microbatches and a named or custom schedule
/// @param options  limits of the search for other cuts, and the framework
/// @throws         argument_error if there is an `explanation_obstacle`; invalid_input for stages whose times are not
///                 the sums over their layers, and as `schedule_of`, `times_of`, `transfers_of` and `simulate`; what
///                 `make_plan` throws for invalid memory; not_representable for a model that the framework cannot
///                 express
///
/// One simulation per layer (equal layers of a stage share one), device, boundary, and change. Then up to four searches
/// as in `make_plan`, each within the limits.
inline constexpr explain_plan_fn explain_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/explain_plan.ipp>
#endif
