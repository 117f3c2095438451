// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {
class recompute_search;
}

/// See `minimize_recomputation`.
struct minimize_recomputation_fn {
  /// See `minimize_recomputation`.
  [[nodiscard]] outcome<recompute_plan> operator()(const recompute_model& model,
                                                   const recompute_request& request) const;

 private:
  static recompute_plan told(const recompute_model& model, const recompute_request& request,
                             detail::recompute_search& search, bool buffers_differ);
};

/// Deals the layers of a chain out to stages, and chooses how each is recomputed, so that no rank exceeds its memory and an
/// iteration ends as early as possible: the makespan that `simulate` tells, not the time of the slowest stage.
///
/// @param model    layers with the choices of each
/// @param request  the order of passes, of one stage a rank or several; memory; messages; whether stages may be empty
/// @return         optimal, with `makespan == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with what would do; unknown if a limit was reached before any
///                 plan was found
/// @throws         argument_error for a request that makes no sense; invalid_input for a model that makes none, and as
///                 `check_schedule`
///
/// A rank needs its constant, what stays of its layers, the workspace of the layer of every stage that needs most, the
/// activations of all microbatches in flight, and what is computed again, at their peak in the order of its passes. A limit that is met exactly is kept to.
///
/// Exact where all times are multiples of a power of ten and an iteration of the slowest choices sums to less than 2^50 of
/// it, else to 2^-30 of that sum. Where layers are of several types and ranks have three stages or more, or many layers
/// differ, there may be too many options for a proof: then plans are found by annealing alone, and the bound is that of the
/// work. Where layers hand on different numbers of bytes, the search takes messages at their least and buffers at their
/// most: then nothing is proved of buffers, the bound is that of the work, and progress tells makespans with the least
/// messages. Of plans that are equally good it returns the one found first: the same every time, if no limit but
/// `node_limit` is reached.
///
/// Source: docs/recomputation.md derives the options, bounds and the search.
inline constexpr minimize_recomputation_fn minimize_recomputation{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_recomputation.ipp>
#endif
