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

/// See `minimize_hybrid`.
struct minimize_hybrid_fn : detail::expects_stage_options {
  using detail::expects_stage_options::operator();

  /// See `minimize_hybrid`.
  template <stage_option_model Model>
  [[nodiscard]] outcome<hybrid_cut> operator()(const Model& model, const hybrid_request& request) const {
    detail::check_stage_members<Model>();
    return search(detail::stage_options_of<Model>(model), request);
  }

 private:
  static outcome<hybrid_cut> search(const detail::any_stage_options& model, const hybrid_request& request);
  static outcome<hybrid_cut> solved(const detail::any_stage_options& model, const hybrid_request& request,
                                    std::size_t few, std::size_t many);
};

/// Cuts a model into stages and assigns devices to each, so that no device exceeds its memory and an iteration finishes
/// as early as possible: minimises the makespan that `simulate` returns for 1F1B, with messages between stages, each
/// over a link of its own, and the gradient exchange of every stage after its last backward pass.
///
/// @param model    the options of every stage; `option.time` is ignored
/// @param request  devices, microbatches, memory; the rule of microbatches in flight is `stages`
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible:
///                 `more_stages_than_layers`, or `memory` with the bytes that would suffice; unknown if a limit was
///                 reached before any plan was found
/// @throws         argument_error for an invalid request; invalid_input for an invalid option; anything the model
///                 throws
///
/// All replicas of a stage share the samples of each microbatch. The number of stages is optimised unless it is given.
/// Optimal to 2^-40 of the makespan, as sums of doubles are rounded. Of equally good plans it returns the one found
/// first: deterministic unless a limit other than `node_limit` is reached. Queries the options of every stage once, and
/// again with a doubled limit of the pass time if no plan was found.
///
/// Source: docs/hybrid.md derives the bounds and the search.
inline constexpr minimize_hybrid_fn minimize_hybrid{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/minimize_hybrid.ipp>
#endif
