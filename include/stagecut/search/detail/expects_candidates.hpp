// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_options.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// A cost of stages, or numbers meant as one, where the cost of a whole candidate is needed.
template <class E>
concept cost_for_an_evaluator = !candidate_cost<E> && (stage_cost<E> || arithmetic<element_t<E>>);

/// A pipeline model in its place.
template <class E>
concept model_for_an_evaluator = !candidate_cost<E> && !cost_for_an_evaluator<E> && pipeline_model<E>;

/// Any other type that is not an evaluator.
template <class E>
concept no_evaluator = !candidate_cost<E> && !cost_for_an_evaluator<E> && !model_for_an_evaluator<E>;

// Names for compiler errors about calls of searches with other arguments.
struct after_the_policy_comes_a_candidate_space_as_all_cuts;
struct after_the_candidate_space_comes_an_evaluator_of_candidates;
struct a_cost_of_stages_is_no_evaluator_wrap_it_in_stage_objective;
struct a_pipeline_model_is_no_evaluator_wrap_it_in_cut_makespan;
struct an_evaluator_returns_the_cost_of_a_candidate_from_a_const_call_operator;
struct after_the_evaluator_come_candidate_options_for_several_candidates_call_best_n;
struct after_the_evaluator_comes_the_number_of_candidates_to_return;
struct after_the_evaluator_come_the_highest_cost_and_the_most_candidates_to_return;

/// Deleted overloads of the searches of a candidate space for common mistakes, explained in the first lines of a
/// compiler's message.
struct expects_candidates : expects_policy {
  using expects_policy::operator();
  template <thrust_policy Policy, class Other, class... Rest>
  requires(!candidate_space<Other>) after_the_policy_comes_a_candidate_space_as_all_cuts  //
  operator()(const Policy&, const Other&, const Rest&...) const = delete;  // all_cuts(items, stages); your own: const
  template <thrust_policy Policy, candidate_space S>
  after_the_candidate_space_comes_an_evaluator_of_candidates  //
  operator()(const Policy&, const S&) const = delete;         // double operator()(search::candidate) const
  template <thrust_policy Policy, candidate_space S, cost_for_an_evaluator Cost, class... Rest>
  a_cost_of_stages_is_no_evaluator_wrap_it_in_stage_objective                       //
  operator()(const Policy&, const S&, const Cost&, const Rest&...) const = delete;  // stage_objective(cost)
  template <thrust_policy Policy, candidate_space S, model_for_an_evaluator Model, class... Rest>
  a_pipeline_model_is_no_evaluator_wrap_it_in_cut_makespan                           //
  operator()(const Policy&, const S&, const Model&, const Rest&...) const = delete;  // cut_makespan(model, schedule)
  template <thrust_policy Policy, candidate_space S, no_evaluator Other, class... Rest>
  an_evaluator_returns_the_cost_of_a_candidate_from_a_const_call_operator            //
  operator()(const Policy&, const S&, const Other&, const Rest&...) const = delete;  // operator()(candidate) const
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
