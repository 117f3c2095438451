// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What may be recomputed in a plan, and how it is counted, in addition to a `plan_request`.
struct recompute_options {
  /// The recomputations that a layer may have, `none` for its own figures; empty: all that it offers.
  std::vector<std::string> names{};
  /// Whether stages may have no layers, except the first stage of a model whose first layers have no choice.
  bool empty_stages = false;
  double constant = 0;                       ///< bytes that every device needs besides its stages
  std::vector<recompute_strategy> starts{};  ///< see `recompute_request`; for the chain of `ask_recomputation`
};

/// Returns a model with every layer recomputed as chosen: the figures of a layer are those of its choice.
///
/// @param model    layers with `recomputations`
/// @param choices  for every layer; a recomputation that is empty, or that the layer does not offer, leaves it as
///                 profiled
[[nodiscard]] STAGECUT_DECL profile with_choices(profile model, const std::vector<layer_choice>& choices);

namespace detail {

/// Turns the result of the search into a plan.
[[nodiscard]] STAGECUT_DECL plan plan_of(const profile& model, const plan_request& request,
                                         const recompute_request& asked, const recomputed_chain& chain,
                                         const recompute_plan& found);

}  // namespace detail

/// The problem that a plan with recomputation solves: the layers of a profile, and a request for them.
struct asked_recomputation {
  recomputed_chain chain{};     ///< the layers
  recompute_request request{};  ///< the request for them
};

/// Returns the problem that `plan_recomputation` passes to `minimize_recomputation`.
///
/// @throws  as `plan_recomputation`; the model must be a chain
[[nodiscard]] STAGECUT_DECL asked_recomputation ask_recomputation(const profile& model, const plan_request& request,
                                                                  const recompute_options& options = {});

/// Returns the layers of each stage of such a plan, and how they run.
/// @pre the plan is of that chain
[[nodiscard]] STAGECUT_DECL recompute_strategy strategy_of(const plan& made, const recomputed_chain& chain);

/// Returns the plan of the user's own strategy, to write and draw like any other: nothing is searched, and memory is
/// not checked.
///
/// @param of  for the chain and the schedule that `ask_recomputation` returns for the other arguments
/// @return    a plan with the makespan as its objective, feasible, with bound 0
/// @throws    as `ask_recomputation` and `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL plan plan_of_strategy(const profile& model, const plan_request& request,
                                                  const recompute_strategy& of, const recompute_options& options = {});

/// Plans a chain with recomputation: the layers of every stage, and how each layer runs, so that no device exceeds its
/// memory and an iteration finishes as early as possible.
///
/// @param model    a chain, or a graph, which is planned as the chain of `as_chain`; its layers have `recomputations`,
///                 all with the forward pass of the layer
/// @param request  the pipeline, the microbatches, memory and links; devices are equally fast, and layers may be on any
///                 stage: anything else is rejected. With `slices` above 1 every sequence is cut into that number of
///                 slices, each a pass of its own with an equal part of the times and of the kept bytes: see
///                 `sequence_split`; then nothing runs as `full`
/// @param options  the allowed recomputations
/// @return         as `minimize_recomputation`; the plan's `choices` name the recomputation of every layer, empty where
///                 it runs as profiled
/// @throws         argument_error for an invalid request, or one that this planner does not support; invalid_input as
///                 `as_recompute_model` and `as_chain`
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_recomputation(const profile& model, const plan_request& request,
                                                             const recompute_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/plan_recomputation.ipp>
#endif
