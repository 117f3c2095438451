// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

// Names for compiler errors about calls without a graph or a cost of sets.
struct make_an_operator_graph_of_it_by_make_operator_graph_or_graph_of;
struct an_operator_graph_is_followed_by_a_load_request;
struct a_set_cost_comes_after_a_precedence_and_before_a_load_request;
struct a_set_cost_has_size_add_and_remove_of_an_element_and_a_const_value_of_a_stage_role;

/// Deleted overloads of `minimize_load` for common mistakes, explained in the first lines of a compiler's message. The
/// request is named where it may be in braces.
struct expects_graph_or_set_cost {
  template <class Other>
  requires(!std::convertible_to<const Other&, const operator_graph&>)
      make_an_operator_graph_of_it_by_make_operator_graph_or_graph_of  //
      operator()(const Other&, const load_request&) const = delete;  // make_operator_graph(g, maps), graph_of(profile)
  template <class Graph, class Other>
  requires(!std::convertible_to<const Other&, const load_request&>) an_operator_graph_is_followed_by_a_load_request  //
  operator()(const Graph&, const Other&) const = delete;  // (operator_graph, load_request{…})
  template <class Graph>
  an_operator_graph_is_followed_by_a_load_request  //
  operator()(const Graph&) const = delete;         // (operator_graph, load_request{…})
  template <class Other, class Set>
  requires(!std::convertible_to<const Other&, const precedence&>)
      a_set_cost_comes_after_a_precedence_and_before_a_load_request              //
      operator()(const Other&, const Set&, const load_request&) const = delete;  // contraction(graph).below()
  template <class Other>
  requires(!set_cost<Other>) a_set_cost_has_size_add_and_remove_of_an_element_and_a_const_value_of_a_stage_role  //
  operator()(const precedence&, const Other&, const load_request&) const = delete;  // set_cost: see graph/set_cost.hpp
};

/// Whether a type has a member of that name that is not a template, or one overloaded.
/// @{
template <class Set>
concept has_some_fits = requires {
  &Set::fits;
};
template <class Set>
concept has_some_may_grow = requires {
  &Set::may_grow;
};
template <class Set>
concept has_some_least = requires {
  &Set::least;
};
template <class Set>
concept has_some_weight = requires {
  &Set::weight;
};
/// @}

/// Fails to compile for a cost of sets with an optional member in another form, which would be silently ignored.
template <class Set>
constexpr void check_set_members() noexcept {
  static_assert(
      !has_some_fits<Set> ||
          requires(const Set& set, const stage_role& role) {
            { set.fits(role) } -> std::convertible_to<bool>;
          },
      "a set cost's fits has to be fits(role) const and a bool: see set_cost");
  static_assert(
      !has_some_may_grow<Set> ||
          requires(const Set& set, const stage_role& role) {
            { set.may_grow(role) } -> std::convertible_to<bool>;
          },
      "a set cost's may_grow has to be may_grow(role) const and a bool: see set_cost");
  static_assert(
      !has_some_least<Set> ||
          requires(const Set& set, const stage_role& role) {
            { set.least(role) } -> std::convertible_to<set_value_t<Set>>;
          },
      "a set cost's least has to be least(role) const and a value: see set_cost");
  static_assert(
      !has_some_weight<Set> ||
          requires(const Set& set, std::size_t e) {
            { set.weight(e, e) } -> std::convertible_to<set_value_t<Set>>;
          },
      "a set cost's weight has to be weight(element, kind) const and a value: see set_cost");
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
