// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `make_plan`.
struct make_plan_fn {
  /// What cuts graphs into plans: `plan_graph`, say.
  using graph_planner = function_ref<outcome<plan>(const profile&, const plan_request&)>;

  /// See `make_plan`.
  /// @{
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const;
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request,
                                         const graph_planner& of_graphs) const;
  /// @}
};

/// Cuts a profile into the stages of a pipeline: the one door from a profile to a plan.
///
/// It minimises what `plan_request::objective` says; unsaid, the makespan, if that is known, and else the heaviest stage:
/// `makespan_obstacle` says why it is not. Stages are measured by time, or as `plan_request::by` says; of a model whose
/// layers have no time, by bytes of parameters. `plan::objective` says what was minimised, and of which measure.
///
/// Links and memory that the request does not tell are those of the profile's `machine`. With a `plan_request::target` the
/// plan is the best of those that its framework can be told: `io::find_format(NAME)->write` does not refuse it.
///
/// @param model    a chain, or a graph, which is planned as the chain that `as_chain` makes of it: the plan's profile is
///                 that chain. Stages of a graph that is none stand in a row by any schedule but 1F1B and GPipe, by these for
///                 PyTorch, GPipe by the makespan and 1F1B with chunks by the makespan; the plan has an edge from each to the next,
///                 with all that crosses there. The layers are taken in one order, as listed if each follows what feeds it;
///                 the bound holds for all orders
/// @param request  the pipeline, the memory and links there are, and what to minimise. Where it numbers layers
///                 (`forbidden_cuts`, `kept_together`, `weights`), the model has to be a chain; for stages in a row, layers listed so
/// @param of_graphs  optional: who plans what is no chain, `plan_graph` of the room graph: a graph of which `is_chain` says
///                 no, layers that run on CPUs or not on accelerators or have to stand on a stage, operators of the
///                 backward pass alone; and whatever is asked for with CPUs, `at_most` or a `method` for graphs. Without it
///                 these are refused
/// @return         optimal; feasible, with a bound, if a limit was reached first, or other orders of a graph are not searched;
///                 infeasible, with what does not fit and what would do; unknown if a limit was reached before any plan was found,
///                 or nothing fits in the one order of a graph. The plan predicts the
///                 iteration unless there is a `prediction_obstacle`
/// @throws         not_representable for a model, a schedule or numbers that the target cannot say, with its rule;
///                 argument_error for a request that makes no sense, with the reason where it asks for a makespan that is
///                 not known, or for memory of what only the order of a schedule tells, and that cannot be made.
///                 invalid_input as `as_chain`, and for a model
///                 that has nothing to be cut by, or figures that no plan can be made of
inline constexpr make_plan_fn make_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/make_plan.ipp>
#endif
