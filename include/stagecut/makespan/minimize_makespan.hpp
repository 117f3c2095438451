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
#include <stagecut/makespan/cut_heuristic.hpp>
#include <stagecut/makespan/detail/expects_pipeline_model.hpp>
#include <stagecut/makespan/detail/explain_infeasible_cut.hpp>
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
    check_schedule(request.schedule);
    check(model.size(), request, memory_pipeline_model<Model>);
    const std::size_t stages = request.schedule.stages();
    if (stages > model.size()) {
      return outcome<makespan_cut>::infeasible({reason::cause::more_stages_than_layers, stages, model.size()});
    }
    engine::chain_ticks chain(model, request.schedule, request.links);
    if (chain.splits && !has_weight_times(model)) {
      detail::fail(
          invalid_input("model", "has no time for the gradient of the weights alone, which the schedule runs apart"));
    }
    const engine::model_rules<Model, Constraint> rules(model, request.schedule, request.memory_limit.for_all(), allowed,
                                                       request.memory_limit.of_ranks());
    if (request.start && !engine::allowed_cut(request.schedule, rules, request.start->points())) {
      refuse("start", "{…}", "must keep to the constraint and the memory");
    }
    auto found = search_ticks(chain, request, rules);
    if (found.state() != state::infeasible) return found;
    return outcome<makespan_cut>::infeasible(
        detail::explain_infeasible_cut(rules, request.schedule, model.size(), greatest_memory(request), allowed));
  }

  template <pipeline_model Model, cut_heuristic Heuristic>
  requires(!stage_constraint<Heuristic>) [[nodiscard]] outcome<makespan_cut> operator()(const Model& model,
                                                                                        const makespan_request& request,
                                                                                        Heuristic&& heuristic) const {
    return (*this)(model, improved_by(request, heuristic));
  }

  template <pipeline_model Model, stage_constraint Constraint, cut_heuristic Heuristic>
  [[nodiscard]] outcome<makespan_cut> operator()(const Model& model, const makespan_request& request,
                                                 const Constraint& allowed, Heuristic&& heuristic) const {
    return (*this)(model, improved_by(request, heuristic), allowed);
  }
  /// @}

 private:
  /// Copies a request and sets its heuristic.
  [[nodiscard]] static makespan_request improved_by(makespan_request request, cut_heuristic_ref heuristic) {
    request.backends.heuristic = heuristic;
    return request;
  }

  /// The search after the model was queried, the same for all models.
  [[nodiscard]] static outcome<makespan_cut> search_ticks(engine::chain_ticks& chain, const makespan_request& request,
                                                          const engine::cut_rules& rules);

  static void refuse(const std::string& argument, const std::string& value, const std::string& requirement) {
    detail::fail(argument_error("minimize_makespan", argument, value, requirement));
  }

  /// The memory of the rank that has most.
  static std::optional<double> greatest_memory(const makespan_request& request);

  static void check_memory_of_ranks(const makespan_request& request, bool knows_memory);

  template <class Model>
  static bool has_weight_times(const Model& model) {
    if constexpr (split_pipeline_model<Model> && detail::has_splits_backward<Model>) return model.splits_backward();
    return split_pipeline_model<Model>;
  }

  static void check(std::size_t items, const makespan_request& request, bool knows_memory);
};

/// Cuts a chain into the stages of a schedule so that an iteration finishes as early as possible. Minimizes the
/// makespan that `simulate` computes, not the time of the heaviest stage.
///
/// @param model    layer times: `item_times`, `with_speeds`, or your own `pipeline_model`
/// @param request  the schedule, links, memory, limits; and whether to return all cuts near the best
/// @param allowed  optional: which items may form a stage, a `stage_constraint`
/// @param heuristic optional: a heuristic that finds better cuts in place of the search's own, a `cut_heuristic`;
///                 default: the one in the request
/// @return         optimal, with `makespan == bound`; feasible, with a bound, if a limit was reached first or rounding
///                 may hide a better cut; infeasible, with `more_stages_than_layers`, `constraint` and its `obstacle`,
///                 or `memory`; unknown if a limit was reached before any cut was found
/// @throws         argument_error for an invalid request; invalid_input as `check_schedule`, for a schedule with a
///                 cyclic wait, and for times that are NaN, infinite or negative; whatever the model throws
///
/// Exact for integers whose sum over an iteration is less than 2^50; otherwise times are rounded to ticks of about
/// 2^-50 of the makespan, and no cut beats an optimal one by more than 2^-29 of it. Ties: the cut with the smallest
/// bottleneck (forward plus backward pass of one microbatch), then the lexicographically smallest; `ties_settled` is
/// false if a limit is reached while ties are resolved. Deterministic unless a limit other than `node_limit` is
/// reached. Queries the model for n times per stage, or n in total if it is `stage_invariant`, plus the extra time of
/// each stage.
///
/// Source: docs/makespan.md derives the bounds and the search.
inline constexpr minimize_makespan_fn minimize_makespan{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/minimize_makespan.ipp>
#endif
