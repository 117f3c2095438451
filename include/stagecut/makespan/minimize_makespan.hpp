// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/makespan/cut_improver.hpp>
#include <stagecut/makespan/detail/expects_pipeline_model.hpp>
#include <stagecut/makespan/detail/why_no_cut.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/check_schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `minimize_makespan`.
struct minimize_makespan_fn : detail::expects_pipeline_model {
  using detail::expects_pipeline_model::operator();

  /// See `minimize_makespan`.
  /// @{
  template <pipeline_model Model, stage_constraint Constraint = detail::no_constraint>
  [[nodiscard]] outcome<makespan_cut> operator()(const Model& model, const makespan_request& request,
                                                 const Constraint& allowed = {}) const {
    detail::check_pipeline_members<Model>();
    check_schedule(request.order);
    check(model.size(), request, memory_pipeline_model<Model>);
    const std::size_t stages = request.order.stages();
    if (stages > model.size()) {
      return outcome<makespan_cut>::infeasible({reason::cause::more_stages_than_layers, stages, model.size()});
    }
    engine::chain_ticks chain(model, request.order, request.links);
    if (chain.splits && !tells_weights(model)) {
      detail::fail(invalid_input("model", "does not tell the gradient of the weights, which the schedule runs apart"));
    }
    const engine::model_rules<Model, Constraint> rules(model, request.order, request.memory_per_device, allowed,
                                                       request.memory_of_ranks);
    if (request.start && !engine::allowed_cut(request.order, rules, request.start->points())) {
      refuse("start", "{…}", "must keep to the constraint and the memory");
    }
    auto found = search_ticks(chain, request, rules);
    if (found.state() != state::infeasible) return found;
    return outcome<makespan_cut>::infeasible(
        detail::why_no_cut(rules, request.order, model.size(), greatest_memory(request), allowed));
  }

  template <pipeline_model Model, cut_improver Improver>
  requires(!stage_constraint<Improver>) [[nodiscard]] outcome<makespan_cut> operator()(const Model& model,
                                                                                       const makespan_request& request,
                                                                                       Improver&& improver) const {
    return (*this)(model, improved_by(request, improver));
  }

  template <pipeline_model Model, stage_constraint Constraint, cut_improver Improver>
  [[nodiscard]] outcome<makespan_cut> operator()(const Model& model, const makespan_request& request,
                                                 const Constraint& allowed, Improver&& improver) const {
    return (*this)(model, improved_by(request, improver), allowed);
  }
  /// @}

 private:
  /// A request with that improver for its own.
  [[nodiscard]] static makespan_request improved_by(makespan_request request, cut_improver_ref improver) {
    request.helpers.improver = improver;
    return request;
  }

  /// The search once the model was asked, the same for all models.
  [[nodiscard]] static outcome<makespan_cut> search_ticks(engine::chain_ticks& chain, const makespan_request& request,
                                                          const engine::cut_rules& rules);

  static void refuse(const std::string& argument, const std::string& value, const std::string& requirement) {
    detail::fail(argument_error("minimize_makespan", argument, value, requirement));
  }

  /// The memory of the rank that has most.
  static std::optional<double> greatest_memory(const makespan_request& request);

  static void check_memory_of_ranks(const makespan_request& request, bool knows_memory);

  template <class Model>
  static bool tells_weights(const Model& model) {
    if constexpr (split_pipeline_model<Model> && detail::has_splits_backward<Model>) return model.splits_backward();
    return split_pipeline_model<Model>;
  }

  static void check(std::size_t items, const makespan_request& request, bool knows_memory);
};

/// Cuts a chain into the stages of a schedule so that an iteration ends as early as possible: the makespan that `simulate`
/// tells, not the time of the heaviest stage.
///
/// @param model    what layers take: `item_times`, `with_speeds`, or a `pipeline_model` of your own
/// @param request  the schedule, links, memory, limits; and whether all cuts near the best are wanted
/// @param allowed  optional: which items may be a stage, a `stage_constraint`
/// @param improver optional: who looks for better cuts in place of the search itself, a `cut_improver`; else that of the request
/// @return         optimal, with `makespan == bound`; feasible, with a bound, if a limit was reached first or rounding may
///                 hide a better cut; infeasible, `more_stages_than_layers`, `constraint` with what its `obstacle`
///                 says, or `memory`; unknown if a limit was reached before any cut was found
/// @throws         argument_error for a request that makes no sense; invalid_input as `check_schedule`, for a schedule
///                 that waits for itself, and for times that are NaN, infinite or negative; whatever the model throws
///
/// Exact for integers of which an iteration sums to less than 2^50; else times are rounded to ticks of about 2^-50 of the
/// makespan, and no cut is better than an optimal one by more than 2^-29 of it. Among the best cuts the one whose heaviest
/// stage (forward and backward pass of a microbatch) is lightest, then the lexicographically smallest; `ties_settled` is
/// false if a limit is reached while that is looked for. Deterministic if no limit but `node_limit` is reached. n times for
/// each stage are asked of the model, or n in all if it is `stage_invariant`, and what each stage takes beside them.
///
/// Source: docs/makespan.md derives the bounds and the search.
inline constexpr minimize_makespan_fn minimize_makespan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/minimize_makespan.ipp>
#endif
