// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Of what the length of a pipeline is made beside the times of its stages: see `minimize_pipeline_length`.
struct length_options {
  /// Whether what crosses a boundary takes time of its own: each has a stage's place in the sum and in the maximum, of twice
  /// `stage_option::message`. `stage_option::time` must then be without it.
  bool messages = false;
  /// Whether the exchange of gradients adds what is not hidden: of the stage behind i others, as much of
  /// `stage_option::all_reduce` as exceeds i times the largest stage. `stage_option::time` must then be without it.
  bool all_reduce = false;
};

/// See `minimize_pipeline_length`.
struct minimize_pipeline_length_fn {
  /// See `minimize_pipeline_length`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request,
                                               const length_options& options = {}) const {
    return search(detail::stage_options_of<Model>(model), request, options);
  }

 private:
  static outcome<hybrid_cut> search(const detail::any_stage_options& model, const hybrid_request& request,
                                    const length_options& options);
};

/// Cuts a model into stages, each on several devices, so that an iteration of its pipeline is shortest by a formula: the sum
/// of all stages plus, for every microbatch but one, the largest of them.
///
/// @param model    the ways to run each stage
/// @param request  devices, microbatches, memory
/// @param options  whether messages and the exchange of gradients count
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, `memory` or `layer_too_large` with what would do, `constraint` where stages
///                 cannot have as many devices as there are; unknown if a limit was reached before a cut was found
/// @throws         argument_error for a request that makes no sense; invalid_input for an option with a time or bytes that
///                 are negative or not finite, or times that sum to more than a double holds
///
/// With M microbatches the cost is `sum of time + (M - 1) * largest time`; with `messages`, of `time` and of twice `message`
/// of every stage; with `all_reduce` plus the largest of `all_reduce - i * largest`, where i stages come before. Exact: least
/// in doubles as they are computed, where stages are summed from the output to the input, and what stages hide is taken off
/// one by one. No difference is too small to count, and none is ignored.
///
/// A device needs `resident` bytes, and `activations` for each microbatch in flight, by the rule of the request. Memory that
/// is met exactly is kept to.
///
/// Without `all_reduce`, of cuts that cost the same it returns the one with the least sum, of these the one on fewest devices;
/// of these the one that, compared stage by stage from the input, has the stage that ends first, then fewer replicas, fewer
/// ways, the smaller `choice`. With `all_reduce`, the one found first, the same every time.
///
/// `hybrid_cut::searches` counts dynamic programs, each with one threshold for the largest stage: mostly fewer than twenty, and
/// with `all_reduce` up to one for each different time near the best one. Each takes O(S D O) labels, for S pairs of points, O
/// options of a stage, D labels of a point: numbers of devices, and for each the tradeoffs of sum and memory. The options of a
/// stage are asked for once if there are up to 500,000 in all.
///
/// Source: the objective is that of Alpa (OSDI 2022), with messages that of HARP and DAPPLE (PPoPP 2021), which also has the exchange of gradients. Alpa tries every time that a stage may take for its largest; here the
/// threshold jumps, and the proof is in `joint/detail/length_search.hpp`.
inline constexpr minimize_pipeline_length_fn minimize_pipeline_length{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_pipeline_length.ipp>
#endif
