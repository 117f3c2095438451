// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_hybrid`.
struct minimize_hybrid_fn {
  /// See `minimize_hybrid`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request) const {
    return search(detail::stage_options_of<Model>(model), request);
  }

 private:
  static outcome<hybrid_cut> search(const detail::any_stage_options& model, const hybrid_request& request);
};

/// Cuts a model into stages and gives each of them devices, so that no device exceeds its memory and an iteration ends as
/// early as possible: the makespan that `simulate` tells of 1F1B, with the messages between stages, each over a link of
/// its own, and the exchange of gradients of every stage behind its last backward pass.
///
/// @param model    the ways to run every stage; `option.time` does not count
/// @param request  devices, microbatches, memory; the rule of microbatches in flight is `stages`
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with what would do; unknown if a limit was reached before any
///                 plan was found
/// @throws         argument_error for a request that makes no sense; invalid_input for an option that makes none;
///                 whatever the model throws
///
/// All replicas of a stage share the samples of each microbatch. The number of stages is the best one, unless it is given.
/// Optimal to 2^-40 of the makespan, as sums of doubles are rounded. Of equally good plans it returns the one found first:
/// the same every time, if no limit but `node_limit` is reached. Asks for the options of every stage once, and again
/// with twice the time of a pass if there was no plan.
///
/// Source: docs/hybrid.md derives the bounds and the search.
inline constexpr minimize_hybrid_fn minimize_hybrid{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_hybrid.ipp>
#endif
