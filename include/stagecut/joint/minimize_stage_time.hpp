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

/// See `minimize_stage_time`.
struct minimize_stage_time_fn : detail::expects_stage_options {
  using detail::expects_stage_options::operator();

  /// See `minimize_stage_time`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request) const {
    detail::check_stage_members<Model>();
    return search(detail::stage_options_of<Model>(model), request);
  }

 private:
  static outcome<hybrid_cut> search(const detail::any_stage_options& model, const hybrid_request& request);
};

/// Cuts a model into stages and chooses how each runs, so that the bottleneck is smallest: the largest time per
/// microbatch of a stage in a pipeline that never waits. The stages take devices from the first to the last, and no
/// device exceeds its memory with the microbatches that its stage has in flight.
///
/// @param model    the options of a stage: see `stage_option_model`
/// @param request  devices, memory, the rule of microbatches in flight, limits. Where replicas take turns, all stages
///                 together have at most as many replicas as there are microbatches
/// @return         optimal, with `cost == bound`, the largest `option.time`; feasible, with a bound, if a limit was
///                 reached first; infeasible: `more_stages_than_layers`, `memory` with the fullest stage of the plan
///                 that needs least and its bytes, or `constraint` where memory is not the obstacle; unknown if a limit
///                 was reached before any plan was found
/// @throws         argument_error for an invalid request, for 2^31 devices or points, and for a `period` that does not
///                 divide the devices
///
/// Exact: times are compared as computed, and the search ends when no smaller number can be the bottleneck of a plan;
/// `least_work` must only be right to 2^-40 of itself. Of equally good plans it returns the one found last:
/// deterministic unless a limit other than `node_limit` is reached. A node is a visited stage, or a hundred label
/// extensions by a stage.
///
/// Runs 10 to 40 dynamic programs, each over all stages that are fast enough; a point keeps a Pareto list of the loads
/// and devices after it; O(points * labels) memory.
///
/// Source: J. M. Tarnawski, D. Narayanan and A. Phanishayee, Piper: Multidimensional Planner for DNN Parallelization,
/// NeurIPS 2021, and D. Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019, for
/// the objective and the memory of replicas that take turns.
inline constexpr minimize_stage_time_fn minimize_stage_time{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_stage_time.ipp>
#endif
