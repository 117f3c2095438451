// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The stages of elements whose costs are the user's own.
template <class Value>
struct set_partition {
  std::vector<std::size_t> stage_of{};  ///< of every element, from 0
  std::vector<bool> on_cpu{};           ///< of every stage
  Value cost{};                         ///< of the costliest stage
  Value bound{};                        ///< no partition costs less; equal to `cost` if proved optimal
  std::size_t down_sets = 0;            ///< listed; 0: they were too many, or not needed
  std::size_t rounds = 0;               ///< partitions that were made better, or worse
};

namespace detail {

/// Refuses a request that makes no sense.
STAGECUT_DECL void check_load_request(const load_request& request, std::string_view function = "minimize_load");

}  // namespace detail

/// See `minimize_load`.
struct minimize_load_fn {
  /// See `minimize_load`.
  /// @{
  [[nodiscard]] outcome<graph_partition> operator()(const operator_graph& graph, const load_request& request) const;

  template <set_cost Set>
  [[nodiscard]] outcome<set_partition<set_value_t<Set>>> operator()(const precedence& below, const Set& empty,
                                                                    const load_request& request) const {
    using value_type = set_value_t<Set>;
    using answer = outcome<set_partition<value_type>>;
    detail::check_load_request(request);
    if (request.method == graph_method::merge || request.method == graph_method::by_levels) {
      detail::fail(argument_error("minimize_load", "method", name_of(graph_method_words, request.method),
                                  "is of graphs of operators alone"));
    }
    if (empty.size() != below.size()) {
      detail::fail(argument_error("minimize_load", "empty.size()", std::to_string(empty.size()),
                                  detail::joined({"must be the number of elements, ", below.size()})));
    }
    if (below.size() == 0 && request.at_most) return answer::optimal({});
    if (!request.at_most && request.devices > below.size()) {
      return answer::infeasible({reason::cause::more_stages_than_layers, request.devices, below.size()});
    }
    detail::load_solver<Set> solver(below, empty, {request.devices, request.cpus, request.at_most}, request.method,
                                    request.limits, 1);
    auto found = solver.run({}, {});
    if (found.infeasible) return answer::infeasible({reason::cause::constraint, 0, 0, "no set of a partition fits"});
    if (!found.best) return answer::unknown({});
    set_partition<value_type> result;
    result.stage_of.assign(found.best->stage_of.begin(), found.best->stage_of.end());
    for (const std::uint8_t kind : found.best->kinds) result.on_cpu.push_back(kind != 0);
    result.cost = found.best->value;
    result.bound = found.proved() ? result.cost : found.bound;
    result.down_sets = found.down_sets;
    result.rounds = found.rounds;
    return found.proved() ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }
  /// @}
};

/// Cuts a graph of operators into stages so that the heaviest is as light as possible, and edges lead to the same or a
/// later stage.
///
/// @param graph    what operators take and what feeds what: see `contraction` for what edges demand, and `operator_set`
///                 for what a stage takes
/// @param request  the devices, how loads are reckoned, and how long to look
/// @param below    of elements that have costs of the user's own, which may not stand on later stages than others
/// @param empty    the empty set of these elements: a `set_cost`
/// @return         optimal; feasible, with a bound, if the down-sets are too many or a limit was reached; infeasible, with
///                 what does not fit; unknown if a limit was reached before any partition was found
/// @throws         argument_error for a request that makes no sense; invalid_input as `contraction` and `operator_costs`;
///                 whatever the costs throw
///
/// First linear orders are cut exactly by dynamic programming, and the best are improved: by the move of single elements
/// and another order within the same stages. Then, if there are no more than `limits.most_down_sets` sets that hold the
/// predecessors of all they hold, dynamic programming over these finds the least load, or proves that it was found;
/// otherwise bounds are made better, by smallest cuts, and partitions until a limit is reached. A graph that is a path is
/// cut as a chain. With `method` linear no sets are listed; with down_sets the search ends with them, or where they are too
/// many; with multilevel the graph is cut as `multilevel` does a load, and with merge layers become stages as
/// `merge_layers` says, and single moves make these better: fast, and no more. Of more than 256 elements the search begins
/// with what multilevel finds, of more than 5,000 with any method; if none was named it ends there with that and bounds.
///
/// O(n + m) memory and, for every set, 96 bytes and 13 for every number of devices, but no more than 256 MiB: more sets
/// are not listed. O(pairs of sets within a stage) changes of a set.
///
/// Source: J. Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020, for the
/// problem, the sets and linear orders; the pruning, the improvement and the bounds are described in docs/graphs.md.
inline constexpr minimize_load_fn minimize_load{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/minimize_load.ipp>
#endif
