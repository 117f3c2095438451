// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Numbers meant as costs of items.
template <class T>
concept numbers_for_a_cost = !stage_cost<T> && requires(const T& numbers) {
  requires arithmetic<element_t<T>>;
  numbers.size();
};

/// A function of an interval without a number of items.
template <class T>
concept function_for_a_cost = !stage_cost<T> && interval_function<T> && !requires(const T& function) {
  function.size();
};

/// A cost whose call operator is not const.
template <class T>
concept mutable_for_a_cost = !stage_cost<T> && !interval_function<T> && requires(T & model, std::size_t i) {
  requires requires { model(i, i); } || requires {
    model(i, i, i);
  };
  requires !requires(const T& same) { same(i, i, i); };
};

/// A function of an interval used as a constraint, which also needs the stage.
template <class T>
concept function_for_a_constraint = interval_function<T> && !stage_constraint<T>;

/// Any other type that is not a cost.
template <class T>
concept no_cost = !stage_cost<T> && !numbers_for_a_cost<T> && !function_for_a_cost<T> && !mutable_for_a_cost<T>;

// Names for compiler errors about calls without a cost.
struct numbers_are_no_cost_wrap_them_in_prefix_sums;
struct a_function_is_no_cost_make_it_one_by_monotone_n_f;
struct the_call_operator_of_a_cost_has_to_be_const;
struct a_cost_has_size_and_a_const_call_operator_as_prefix_sums_or_monotone;

struct this_needs_an_additive_cost_as_prefix_sums_or_block_sums;
struct a_stage_constraint_is_asked_of_stage_first_last;

/// Deleted overloads of every partitioner for common mistakes, explained in the first lines of a compiler's message;
/// concepts cannot have such names.
struct expects_cost {
  template <numbers_for_a_cost Items, class... Rest>
  numbers_are_no_cost_wrap_them_in_prefix_sums              //
  operator()(const Items&, const Rest&...) const = delete;  // call it with prefix_sums(items)
  template <arithmetic Item, class... Rest>
  numbers_are_no_cost_wrap_them_in_prefix_sums                             //
  operator()(std::initializer_list<Item>, const Rest&...) const = delete;  // call it with prefix_sums{1, 2, 3}
  template <function_for_a_cost Function, class... Rest>
  a_function_is_no_cost_make_it_one_by_monotone_n_f            //
  operator()(const Function&, const Rest&...) const = delete;  // call it with monotone(n, f) if widening never lowers f
  template <mutable_for_a_cost Model, class... Rest>
  the_call_operator_of_a_cost_has_to_be_const               //
  operator()(const Model&, const Rest&...) const = delete;  // declare it operator()(first, last) const
  template <no_cost Other, class... Rest>
  a_cost_has_size_and_a_const_call_operator_as_prefix_sums_or_monotone  //
  operator()(const Other&, const Rest&...) const = delete;  // prefix_sums(items), monotone(n, f) or a model of your own
};

/// More such overloads for functions with a constraint after the number of stages, or the bound.
struct expects_cost_and_constraint : expects_cost {
  using expects_cost::operator();
  template <stage_cost Cost, class Stages, function_for_a_constraint Two, class... Rest>
  a_stage_constraint_is_asked_of_stage_first_last                                     //
  operator()(const Cost&, const Stages&, const Two&, const Rest&...) const = delete;  // asked: (stage, first, last)
};

/// More such overloads for functions that need sums.
struct expects_additive_cost : expects_cost_and_constraint {
  using expects_cost_and_constraint::operator();
  template <stage_cost Other, class... Rest>
  requires(!additive_cost<Other>) this_needs_an_additive_cost_as_prefix_sums_or_block_sums  //
  operator()(const Other&, const Rest&...) const = delete;  // additive_cost: prefix_sums(items), or see docs/cost.md
};

/// The placeholder for a missing cost of a class template: its deleted constructor names the remedy.
struct no_cost_was_given {
  using axioms = axiom<additive.bits>;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] double prefix(std::size_t item) const;
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const;
};

/// The placeholders, named after the remedy.
/// @{
struct give_a_cost_as_prefix_sums_or_monotone_n_f : no_cost_was_given {};
struct give_an_additive_cost_as_prefix_sums : no_cost_was_given {};
struct give_a_monotone_cost_as_prefix_sums_or_monotone_n_f : no_cost_was_given {};
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::detail
