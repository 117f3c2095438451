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
  static outcome<recompute_plan> solved(const recompute_model& model, const recompute_request& request);
  static recompute_plan told(const recompute_model& model, const recompute_request& request,
                             detail::recompute_search& search, bool buffers_differ);
};

/// Assigns the layers of a chain to stages, and chooses how each is recomputed, so that no rank exceeds its memory and
/// an iteration finishes as early as possible: minimises the makespan that `simulate` returns, not the bottleneck.
///
/// @param model    layers with the choices of each
/// @param request  the schedule, with one stage per rank or several; memory; messages; whether stages may be empty
/// @return         optimal, with `makespan == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with the bytes that would suffice; unknown if a limit was
///                 reached before any plan was found
/// @throws         argument_error for an invalid request; invalid_input for an invalid model, and as `check_schedule`
///
/// A rank needs its constant, the resident bytes of its layers, for every stage the workspace of the layer that needs
/// most, the activations of all microbatches in flight, and the recomputed bytes, at their peak under the schedule. A
/// memory limit that is met exactly is kept.
///
/// Exact where all times are multiples of a power of ten and an iteration of the slowest choices sums to less than 2^50
/// of it, else to 2^-30 of that sum. Where layers are of several types and ranks have three stages or more, or many
/// layers differ, there may be too many options for a proof: then annealing alone finds plans, and the bound comes from
/// the work. Where layers send different numbers of bytes, the search takes messages at their smallest and buffers at
/// their largest: then the bound comes from the work, a request is infeasible only if nothing fits with the smallest
/// buffers either, else unknown, and progress reports makespans with the smallest messages. Of equally good plans it returns the one found first: deterministic unless a limit other
/// than `node_limit` is reached.
///
/// Source: docs/recomputation.md derives the options, bounds and the search.
inline constexpr minimize_recomputation_fn minimize_recomputation{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_recomputation.ipp>
#endif
