// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/expects_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What adds to the length of a pipeline besides the times of its stages: see `minimize_pipeline_latency`.
struct latency_options {
  /// Whether messages count as stages: each boundary then enters the sum and the maximum with twice
  /// `stage_option::message`. `stage_option::time` must then exclude it.
  bool messages = false;
  /// Whether the exposed part of the gradient exchange counts: for a stage after i others, what of
  /// `stage_option::all_reduce` exceeds i times the largest stage. `stage_option::time` must then exclude it.
  bool all_reduce = false;
};

/// See `minimize_pipeline_latency`.
struct minimize_pipeline_latency_fn : detail::expects_stage_options {
  using detail::expects_stage_options::operator();

  /// See `minimize_pipeline_latency`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request,
                                               const latency_options& options = {}) const {
    detail::check_stage_members<Model>();
    return search(detail::stage_options_of<Model>(model), request, options);
  }

 private:
  static outcome<hybrid_cut> search(const detail::any_stage_options& model, const hybrid_request& request,
                                    const latency_options& options);
  static outcome<hybrid_cut> solved(const detail::any_stage_options& model, const hybrid_request& request,
                                    const latency_options& options);
};

/// Cuts a model into stages, each on several devices, so that the pipeline length is smallest: the sum of all stage
/// times plus, for every microbatch but one, the largest of them.
///
/// @param model    the options of each stage
/// @param request  devices, microbatches, memory
/// @param options  whether messages and the gradient exchange count
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, `memory` or `layer_too_large` with what would suffice, `constraint` where
///                 no stages use exactly the devices there are; unknown if a limit was reached before a cut was found
/// @throws         argument_error for an invalid request; invalid_input for an option with a time or bytes that are
///                 negative or not finite, or times whose sum overflows a double
///
/// With M microbatches the cost is `sum of time + (M - 1) * largest time`; with `messages`, both run over the `time`
/// and twice the `message` of every stage; with `all_reduce`, plus the largest of `all_reduce - i * largest`, where i
/// stages come before. Exact: the optimum in doubles as computed, where stages are summed from the output to the input
/// and hidden parts are subtracted one by one. No difference is too small to count.
///
/// A device needs `resident` bytes, plus `activations` for each microbatch in flight, by the rule of the request. A
/// memory limit that is met exactly is kept.
///
/// Ties without `all_reduce`: the cut with the smallest sum, then the fewest devices, then, compared stage by stage
/// from the input, the stage that ends first, fewer replicas, the smaller tensor-parallel degree, the smaller `choice`.
/// With `all_reduce`: the one found first; deterministic.
///
/// `statistics.searches` counts dynamic programs, each with one threshold for the largest stage: mostly fewer than
/// twenty, and with `all_reduce` up to one for each distinct time near the best one. Each takes O(S D O) labels, for S
/// pairs of points, O options of a stage, D labels of a point: numbers of devices, and for each the tradeoffs of sum
/// and memory. The options of a stage are queried once if there are at most 500,000 in all.
///
/// Source: the objective of Alpa (OSDI 2022), with the messages of HARP and DAPPLE (PPoPP 2021); DAPPLE also has the
/// gradient exchange. Alpa tries every possible time of the largest stage; here the threshold jumps, and the proof is
/// in `joint/detail/latency_search.hpp`.
inline constexpr minimize_pipeline_latency_fn minimize_pipeline_latency{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_pipeline_latency.ipp>
#endif
