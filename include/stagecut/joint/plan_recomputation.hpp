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

/// What may be recomputed in a plan, and how it is reckoned, beside what a `plan_request` says.
struct recompute_options {
  /// The recomputations that a layer may have, `none` for its own figures; empty: all that it has.
  std::vector<std::string> names{};
  /// Whether stages may have no layers, but for the first of a model whose first layers have no choice.
  bool empty_stages = false;
  double constant = 0;  ///< bytes that every device needs beside its stages
  std::vector<recompute_strategy> starts{};  ///< see `recompute_request`; of the chain that `ask_recomputation` tells
};

/// A model as it is run when every layer is recomputed as was chosen: the figures of a layer are those of its choice.
///
/// @param model    layers with `recomputations`
/// @param choices  of every layer; a recomputation that is empty, or that the layer has not, leaves it as profiled
[[nodiscard]] STAGECUT_DECL profile with_choices(profile model, const std::vector<layer_choice>& choices);

namespace detail {

/// Refuses a recomputation that no layer has.
STAGECUT_DECL void check_names(const profile& model, const recompute_options& options);

/// The plan of what was found.
[[nodiscard]] STAGECUT_DECL plan plan_of(const profile& model, const plan_request& request,
                                         const recompute_request& asked, const recomputed_chain& chain,
                                         const recompute_plan& found);

}  // namespace detail

/// What a plan with recomputation is asked for: the layers of a profile, and a request for them.
struct asked_recomputation {
  recomputed_chain chain{};     ///< the layers
  recompute_request request{};  ///< what is asked of them
};

/// What `plan_recomputation` asks `minimize_recomputation` for.
///
/// @throws  as `plan_recomputation`; the model has to be a chain
[[nodiscard]] STAGECUT_DECL asked_recomputation ask_recomputation(const profile& model, const plan_request& request,
                                                                  const recompute_options& options = {});

/// The layers of the stages of such a plan, and how they are run.
/// @pre the plan is of that chain
[[nodiscard]] STAGECUT_DECL recompute_strategy strategy_of(const plan& made, const recomputed_chain& chain);

/// The plan of a strategy of one's own, to write and to draw as any other: nothing is searched, and its memory is not looked at.
///
/// @param of  for the chain and the order that `ask_recomputation` tells of the other arguments
/// @return    a plan of the makespan, feasible, with a bound of 0
/// @throws    as `ask_recomputation` and `simulate_recomputation`
[[nodiscard]] STAGECUT_DECL plan plan_of_strategy(const profile& model, const plan_request& request,
                                                  const recompute_strategy& of, const recompute_options& options = {});

/// Plans a chain whose layers may be recomputed: which layers every stage has, and how each layer is run, so that no device
/// exceeds its memory and an iteration ends as early as possible.
///
/// @param model    a chain, or a graph, which is planned as the chain that `as_chain` makes of it; its layers have
///                 `recomputations`, all of them with the forward pass of the layer
/// @param request  the pipeline, the microbatches, memory and links there are; devices are alike in speed, and layers
///                 stand anywhere: what says otherwise is refused. With `slices` above 1 every sequence is cut into so
///                 many, each a pass of its own with an equal part of the times and of what is kept: see `sequence_split`;
///                 nothing is run as `full` then
/// @param options  which recomputations there may be
/// @return         as `minimize_recomputation`; the plan's `choices` name the recomputation of every layer, empty where it is
///                 run as profiled
/// @throws         argument_error for a request that makes no sense, or that this planner cannot keep to; invalid_input as
///                 `as_recompute_model` and `as_chain`
[[nodiscard]] STAGECUT_DECL outcome<plan> plan_recomputation(const profile& model, const plan_request& request,
                                                             const recompute_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/plan_recomputation.ipp>
#endif
