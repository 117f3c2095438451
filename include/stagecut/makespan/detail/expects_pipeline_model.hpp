// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_heuristic.hpp>
#include <stagecut/makespan/makespan_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A cost, or numbers meant as one: without forward and backward passes.
template <class T>
concept cost_for_a_pipeline_model = !pipeline_model<T> && (stage_cost<T> || arithmetic<element_t<T>>);

/// A type that would be a pipeline model if its members were const.
template <class T>
concept mutable_for_a_pipeline_model =
    !pipeline_model<T> && !cost_for_a_pipeline_model<T> && requires(T & model, std::size_t i) {
  model.size();
  model.forward(i, i);
  model.backward(i, i);
};

/// Any other type that is not a pipeline model.
template <class T>
concept no_pipeline_model = !pipeline_model<T> && !cost_for_a_pipeline_model<T> && !mutable_for_a_pipeline_model<T>;

// These names appear in compiler messages about a call without a pipeline model.
struct a_cost_is_no_pipeline_model_give_item_times_of_forward_and_backward;
struct size_forward_and_backward_of_a_pipeline_model_have_to_be_const_and_numbers;
struct a_pipeline_model_has_size_and_forward_and_backward_of_stage_and_item;
struct a_third_argument_is_a_constraint_of_stage_first_last_or_a_heuristic_of_task_points;
struct behind_a_constraint_comes_a_heuristic_of_task_points_that_tells_whether_it_has_a_cut;

/// Shows the usual mistakes of calls of `minimize_makespan` in the first lines of a compiler's message, where a failed
/// concept would not be explained so.
struct expects_pipeline_model {
  template <cost_for_a_pipeline_model Cost, class... Rest>
  a_cost_is_no_pipeline_model_give_item_times_of_forward_and_backward               //
  operator()(const Cost&, const makespan_request&, const Rest&...) const = delete;  // item_times(forward, backward)
  template <mutable_for_a_pipeline_model Model, class... Rest>
  size_forward_and_backward_of_a_pipeline_model_have_to_be_const_and_numbers         //
  operator()(const Model&, const makespan_request&, const Rest&...) const = delete;  // declare its members const
  template <no_pipeline_model Other, class... Rest>
  a_pipeline_model_has_size_and_forward_and_backward_of_stage_and_item               //
  operator()(const Other&, const makespan_request&, const Rest&...) const = delete;  // pipeline_model: docs/makespan.md
  template <pipeline_model Model, class Neither>
  requires(!stage_constraint<Neither> && !cut_heuristic<Neither>)
      a_third_argument_is_a_constraint_of_stage_first_last_or_a_heuristic_of_task_points  //
      operator()(const Model&, const makespan_request&,
                 Neither&&) const = delete;  // both return bool: docs/makespan.md
  template <pipeline_model Model, class First, class Second>
  requires(!stage_constraint<First> || !cut_heuristic<Second>)
      behind_a_constraint_comes_a_heuristic_of_task_points_that_tells_whether_it_has_a_cut  //
      operator()(const Model&, const makespan_request&, First&&,
                 Second&&) const = delete;  // docs/makespan.md, How to ask
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
