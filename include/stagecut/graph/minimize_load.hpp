// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/graph/detail/expects_set_cost.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The stages of elements with user-defined costs.
template <class Value>
struct set_partition : solution<Value> {
  std::vector<std::size_t> assignment{};  ///< stage of each element, from 0
  std::vector<bool> on_cpu{};             ///< for each stage
};

namespace detail {

/// Rejects an invalid request.
STAGECUT_DECL void check_load_request(const load_request& request, std::string_view function = "minimize_load");

}  // namespace detail

/// See `minimize_load`.
struct minimize_load_fn : detail::expects_graph_or_set_cost {
  using detail::expects_graph_or_set_cost::operator();

  /// See `minimize_load`.
  /// @{
  [[nodiscard]] outcome<graph_partition> operator()(const operator_graph& graph, const load_request& request) const;

  template <set_cost Set>
  [[nodiscard]] outcome<set_partition<set_value_t<Set>>> operator()(const precedence& below, const Set& empty,
                                                                    const load_request& request) const {
    using value_type = set_value_t<Set>;
    using answer = outcome<set_partition<value_type>>;
    detail::check_set_members<Set>();
    detail::check_load_request(request);
    if (request.method == graph_method::merge || request.method == graph_method::by_levels) {
      detail::fail(argument_error("minimize_load", "method", name_of(graph_method_names, request.method),
                                  "is for graphs of operators only"));
    }
    if (empty.size() != below.size()) {
      detail::fail(argument_error("minimize_load", "empty.size()", std::to_string(empty.size()),
                                  detail::joined({"must be the number of elements, ", below.size()})));
    }
    if (below.size() == 0 && request.at_most) return answer::optimal({});
    if (!request.at_most && request.devices > below.size()) {
      return answer::infeasible({reason::cause::more_stages_than_layers, request.devices, below.size()});
    }
    return detail::recorded(request, [&](const load_request& asked) { return solved(below, empty, asked); });
  }
  /// @}

 private:
  template <set_cost Set>
  [[nodiscard]] static outcome<set_partition<set_value_t<Set>>> solved(const precedence& below, const Set& empty,
                                                                       const load_request& request) {
    using value_type = set_value_t<Set>;
    using answer = outcome<set_partition<value_type>>;
    detail::load_solver<Set> solver(below, empty, {request.devices, request.cpus, request.at_most}, request.method,
                                    request.most_down_sets, request.search, 1);
    auto found = solver.run({}, {});
    if (found.infeasible) return answer::infeasible({reason::cause::constraint, 0, 0, "no set of a partition fits"});
    if (!found.best) return answer::unknown({});
    set_partition<value_type> result;
    result.assignment.assign(found.best->stage_of.begin(), found.best->stage_of.end());
    for (const std::uint8_t kind : found.best->kinds) result.on_cpu.push_back(kind != 0);
    result.value = found.best->value;
    result.bound = found.proved() ? result.value : found.bound;
    result.statistics.evaluations = found.down_sets;
    result.statistics.nodes = found.rounds;
    return found.proved() ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }
};

/// Cuts a graph of operators into stages with the smallest bottleneck; edges lead to the same or a later stage.
///
/// @param graph    operators and edges: see `contraction` for what edges require, and `operator_set` for the cost of a
///                 stage
/// @param request  the devices, how loads are computed, and the limits
/// @param below    precedence of elements with user-defined costs: which may not be on later stages than others
/// @param empty    the empty set of these elements: a `set_cost`
/// @return         optimal; feasible, with a bound, if there are too many down-sets or a limit was reached; infeasible,
///                 with what does not fit; unknown if a limit was reached before any partition was found
/// @throws         argument_error for an invalid request; invalid_input as `contraction` and `operator_costs`; any
///                 exception of the costs
///
/// First, dynamic programming cuts linear orders exactly; the best cuts are improved by moves of single elements and by
/// reordering within the same stages. Then, if at most `most_down_sets` down-sets (order ideals) exist, dynamic
/// programming over them finds the least load or proves that it was found; otherwise the bounds are improved by minimum
/// cuts, and the partitions by moves, until a limit is reached. A graph that is a path is cut as a chain. `method`
/// linear lists no down-sets; down_sets ends after them, or if there are too many; multilevel cuts the graph as
/// `multilevel` with objective load; merge forms stages as in `merge_layers` and improves them by single moves: fast,
/// but no more. Above 256 elements the search starts from the result of multilevel; above 5,000 it does so with any
/// method, and without a named method it ends there with that result and bounds.
///
/// O(n + m) memory plus, per down-set, 96 bytes and 13 for every number of devices, at most 256 MiB: more down-sets are
/// not listed. O(pairs of down-sets within a stage) changes of a set.
///
/// Source: J. Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020, for the
/// problem, the down-sets and linear orders; docs/graphs.md describes the pruning, the improvement and the bounds.
inline constexpr minimize_load_fn minimize_load{};

/// @cond
STAGECUT_INSTANCE_DECL(outcome<graph_partition>);
/// @endcond

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_load.ipp>
#endif
