// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A user's cut with its figures: see `score_cut`.
struct scored_cut {
  plan made{};                        ///< with those stages; its objective's state is unknown: there was no search
  std::vector<std::string> broken{};  ///< violated rules of the request, a sentence each; empty: none
};

namespace detail {

/// Rejects a cut whose stages or layers do not match the request and its model.
STAGECUT_DECL void check_start(std::string_view function, std::string_view argument, const cuts& at,
                               const profile& model, const plan_request& request);

}  // namespace detail

/// See `score_cut`.
struct score_cut_fn {
  /// See `score_cut`.
  [[nodiscard]] outcome<scored_cut> operator()(const profile& model, const plan_request& request, const cuts& at) const;
};

/// Scores a user's cut: the plan that `make_plan` would make if there were no other cut, for any objective, and the
/// rules of the request that it breaks: layers that stay together, what the target can express, memory.
///
/// @param model    a chain
/// @param request  as for `make_plan`; its `start` is ignored. If an order is found together with the cut, its limits
///                 apply to the search for the order
/// @param at       cuts of the layers; as many stages as devices times stages per rank
/// @return         feasible; unknown if no order was found within the limits
/// @throws         argument_error for cuts of other stages or layers; what `make_plan` throws
///
/// A few plans of one cut each.
inline constexpr score_cut_fn score_cut{};

namespace detail {

/// The request, without its initial cut if that breaks a rule or has other stages. The memory of a cut depends on its
/// order: if that is also to be found, no cut is known to respect a limit.
[[nodiscard]] STAGECUT_DECL plan_request with_usable_start(const profile& model, plan_request request);

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/score_cut.ipp>
#endif
