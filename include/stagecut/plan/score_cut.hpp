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

/// A cut of one's own as it runs: see `score_cut`.
struct scored_cut {
  plan made{};                        ///< with those stages; the state of its objective is unknown: nothing was searched
  std::vector<std::string> broken{};  ///< the rules of the request that it breaks, a sentence each; empty: it keeps to all
};

namespace detail {

/// Refuses a cut of other stages or layers than those of a request and its model.
STAGECUT_DECL void check_start(std::string_view function, std::string_view argument, const cuts& at,
                               const profile& model, const plan_request& request);

}  // namespace detail

/// See `score_cut`.
struct score_cut_fn {
  /// See `score_cut`.
  [[nodiscard]] outcome<scored_cut> operator()(const profile& model, const plan_request& request, const cuts& at) const;
};

/// What comes of a cut that somebody made: the plan that `make_plan` would make if there were no other cut, whatever it
/// minimises, and what it breaks of that request: layers that stay together, what the target can be told, memory.
///
/// @param model    a chain
/// @param request  as of `make_plan`; its `start` is not looked at. With an order that is found together with the cut, its
///                 limits are those of the search for the order
/// @param at       layers; as many stages as devices and chunks make
/// @return         feasible; unknown if no order was found within the limits
/// @throws         argument_error for cuts of other stages or layers; what `make_plan` throws
///
/// A few plans of one cut each.
inline constexpr score_cut_fn score_cut{};

namespace detail {

/// A request without its cut to begin with where that breaks something, or is of other stages. What a cut needs of memory its
/// order tells: where that is found, too, no cut is known to keep to a limit.
[[nodiscard]] STAGECUT_DECL plan_request with_usable_start(const profile& model, plan_request request);

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/score_cut.ipp>
#endif
