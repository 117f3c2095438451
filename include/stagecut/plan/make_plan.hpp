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
  /// A planner that cuts graphs into plans, such as `plan_graph`.
  using graph_planner = function_ref<outcome<plan>(const profile&, const plan_request&)>;

  /// See `make_plan`.
  /// @{
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request) const;
  [[nodiscard]] outcome<plan> operator()(const profile& model, const plan_request& request,
                                         const graph_planner& of_graphs) const;
  /// @}
};

/// Cuts a profile into pipeline stages: the single entry point from a profile to a plan.
///
/// It minimises `plan_request::objective`; by default the makespan if it is known, else the heaviest stage:
/// `makespan_obstacle` returns why it is not known. Stages are measured by time, or by `plan_request::by`; in a model
/// whose layers have no time, by bytes of parameters. `plan::objective` records the objective and its measure.
///
/// Links and memory that the request does not set come from the profile's `machine`. With a `plan_request::target` the
/// plan is the best that its framework can express: `io::find_format(NAME)->write` accepts it.
///
/// @param model    a chain, or a graph, which is planned as the chain that `as_chain` makes from it: the plan's profile
///                 is that chain. The stages of a graph that is no chain are in a row for every schedule except 1F1B
///                 and GPipe, and for these with PyTorch, for GPipe by the makespan and for 1F1B with several stages
///                 per rank by the makespan; the plan has an edge from each to the next, with all that crosses there.
///                 The layers are taken in one order, as listed if each follows its inputs; the bound holds for all
///                 orders
/// @param request  the pipeline, the available memory and links, and the objective. If it numbers layers
///                 (`forbidden_cuts`, `kept_together`, `weights`), the model has to be a chain or, for stages in a row,
///                 layers listed in that order
/// @param of_graphs  optional: the planner for everything that is no chain: `plan_graph` of the module graph. It plans
///                   a graph for which `is_chain` is false, layers that run on CPUs or not on accelerators or have a
///                   fixed stage, operators of the backward pass alone; and any request with CPUs, `at_most` or a
///                   `method` for graphs. Without it these are rejected
/// @return         optimal; feasible, with a bound, if a limit was reached first, or other orders of a graph are not
///                 searched; infeasible, with what does not fit and a remedy; unknown if a limit was reached before any
///                 plan was found, or nothing fits in the one order of a graph. The plan predicts the iteration unless
///                 there is a `prediction_obstacle`
/// @throws         not_representable for a model, a schedule or numbers that the target cannot express, with its rule;
///                 argument_error for an invalid request, with the reason if it asks for a makespan that is not known,
///                 or for memory that only the order of a schedule determines when that order cannot be made.
///                 invalid_input as `as_chain`, for a model without the measure to cut by, and for figures that allow
///                 no plan
inline constexpr make_plan_fn make_plan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/make_plan.ipp>
#endif
