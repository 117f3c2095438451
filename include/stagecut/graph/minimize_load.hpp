// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/flow_bounds.hpp>
#include <stagecut/graph/detail/folded_leaves.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/detail/path_load.hpp>
#include <stagecut/graph/detail/why_no_partition.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/stage_figures.hpp>

namespace stagecut::inline v0 {

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
inline void check_load_request(const load_request& request) {
  if (request.devices == 0) fail(argument_error("minimize_load", "devices", "0", "must be at least 1"));
  if (request.limits.time_limit && !(*request.limits.time_limit >= 0)) {
    fail(argument_error("minimize_load", "limits.time_limit", std::to_string(*request.limits.time_limit),
                        "must not be negative"));
  }
  check_load_options("minimize_load", request.load, request.devices + request.cpus);
}

/// Solves for the elements of a graph.
class graph_solver {
 public:
  using ticks = operator_costs::ticks;
  using answer_type = load_answer<ticks>;

  graph_solver(const operator_graph& graph, const load_request& request)
      : graph_(graph),
        request_(request),
        counts_{request.devices, request.cpus, request.at_most},
        parts_(graph),
        costs_(graph, parts_, request.load, request.devices + request.cpus) {}

  [[nodiscard]] outcome<graph_partition> run() {
    using answer = outcome<graph_partition>;
    if (graph_.operators.empty() && request_.at_most) return answer::optimal({});
    if (auto why = why_no_partition(parts_, costs_, counts_)) return answer::infeasible(*std::move(why));
    const answer_type found = solve();
    if (found.infeasible) return answer::infeasible(no_partition(costs_, counts_));
    if (!found.best) return answer::unknown({});
    graph_partition result = described(found);
    return found.proved() ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

 private:
  [[nodiscard]] answer_type solve() {
    if (is_path(parts_, costs_, counts_)) return on_path();
    if (operator_set(costs_).by_position()) return solved(parts_, costs_, counts_, {}, 0);
    const contraction folded = parts_.merged(graph_, folded_leaves(parts_, costs_, false));
    if (folded.elements() == parts_.elements()) return solved(parts_, costs_, counts_, {}, 0);
    // With fewer stages too, and what leaves need of memory left out, nothing costs more: a bound.
    stage_counts fewer = counts_;
    fewer.at_most = true;
    const operator_graph lighter = without_memory_of_leaves(folded);
    const answer_type relaxed = solved_folded(lighter, folded, fewer, 0);
    if (relaxed.infeasible || (relaxed.best && keeps(*relaxed.best))) {
      if (relaxed.infeasible || relaxed.proved()) return relaxed;
      return counts_.at_most ? relaxed : solved(parts_, costs_, counts_, relaxed.best, relaxed.bound);
    }
    answer_type found = solved_folded(graph_, folded, counts_, relaxed.bound);
    if (found.best && found.best->value <= relaxed.bound) return found;
    return solved(parts_, costs_, counts_, std::move(found.best), relaxed.bound);
  }

  /// Solves for a contraction of `graph` with leaves folded, and says it of the elements of `parts_`.
  [[nodiscard]] answer_type solved_folded(const operator_graph& graph, const contraction& folded,
                                          const stage_counts& counts, ticks bound) const {
    const operator_costs costs(graph, folded, request_.load, request_.devices + request_.cpus);
    answer_type found = solved(folded, costs, counts, {}, bound);
    if (!found.best) return found;
    std::vector<std::uint32_t> stage_of(parts_.elements());
    for (std::size_t e = 0; e < stage_of.size(); ++e) {
      stage_of[e] = found.best->stage_of[folded.element_of(parts_.operators_of(e)[0])];
    }
    found.best->stage_of = std::move(stage_of);
    return found;
  }

  /// The graph where only the operators that are first in an element of `folded` need memory, with the rest of theirs
  /// in `parts_`.
  [[nodiscard]] operator_graph without_memory_of_leaves(const contraction& folded) const {
    operator_graph result = graph_;
    if (!request_.load.memory) return result;
    std::vector<bool> stays(parts_.elements());
    std::vector<bool> left_out(result.operators.size());
    for (std::size_t e = 0; e < folded.elements(); ++e) {
      for (const std::size_t v : folded.operators_of(e)) {
        const operator_costs::figures& each = costs_.of(parts_.element_of(v));
        if (each.forward != 0 || each.backward != 0 || each.cpu != 0) stays[parts_.element_of(v)] = true;
      }
    }
    for (std::size_t v = 0; v < result.operators.size(); ++v) {
      const bool alone =
          folded.operators_of(folded.element_of(v)).size() == parts_.operators_of(parts_.element_of(v)).size();
      if (alone || stays[parts_.element_of(v)]) continue;
      result.operators[v].resident = 0;
      result.operators[v].activations = 0;
      left_out[v] = true;
    }
    for (shared_parameters& each : result.shared) std::erase_if(each.operators, [&](auto v) { return left_out[v]; });
    return result;
  }

  /// Whether a partition found for an easier problem is one of this.
  [[nodiscard]] bool keeps(const element_stages<ticks>& found) const {
    std::vector<operator_set> sets(found.kinds.size(), operator_set(costs_));
    for (std::size_t e = 0; e < found.stage_of.size(); ++e) sets[found.stage_of[e]].add(e);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (!sets[s].fits({found.kinds[s], s, sets.size()})) return false;
    }
    const auto devices = static_cast<std::size_t>(std::count(found.kinds.begin(), found.kinds.end(), 0));
    return counts_.at_most || devices == counts_.devices;
  }

  [[nodiscard]] answer_type solved(const contraction& parts, const operator_costs& costs, const stage_counts& counts,
                                   std::optional<element_stages<ticks>> known, ticks bound) const {
    const operator_set empty(costs);
    load_solver<operator_set> solver(parts.below(), empty, counts, request_.method, request_.limits, costs.seconds(1));
    const auto better = [&](ticks so_far, ticks best, const function_ref<bool()>& stop) {
      if (costs.size() > 20000) return so_far;
      flow_bounds bounds(costs, counts);
      return bounds.cover(bounds.flow(so_far, stop), best, stop);
    };
    return solver.run(std::move(known), bound, better);
  }

  [[nodiscard]] answer_type on_path() const {
    answer_type result;
    result.best = least_path_load(parts_, costs_, counts_);
    result.infeasible = !result.best;
    if (result.best) result.bound = result.best->value;
    return result;
  }

  [[nodiscard]] graph_partition described(const answer_type& found) const {
    graph_partition result;
    const std::vector<std::uint32_t> stages = parts_.expanded(found.best->stage_of);
    result.stage_of.assign(stages.begin(), stages.end());
    result.stages = stage_figures(graph_, result.stage_of, found.best->kinds, request_.load);
    for (const graph_stage& each : result.stages) result.load = each.load > result.load ? each.load : result.load;
    const double bound = costs_.seconds(found.bound);
    result.bound = found.proved() || bound > result.load ? result.load : bound;
    result.elements = parts_.elements();
    result.down_sets = found.down_sets;
    result.rounds = found.rounds;
    return result;
  }

  const operator_graph& graph_;
  const load_request& request_;
  stage_counts counts_;
  contraction parts_;
  operator_costs costs_;
};

}  // namespace detail

/// See `minimize_load`.
struct minimize_load_fn {
  /// See `minimize_load`.
  /// @{
  [[nodiscard]] outcome<graph_partition> operator()(const operator_graph& graph, const load_request& request) const {
    detail::check_load_request(request);
    return detail::graph_solver(graph, request).run();
  }

  template <set_cost Set>
  [[nodiscard]] outcome<set_partition<set_value_t<Set>>> operator()(const precedence& below, const Set& empty,
                                                                    const load_request& request) const {
    using value_type = set_value_t<Set>;
    using answer = outcome<set_partition<value_type>>;
    detail::check_load_request(request);
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
    auto found = solver.run({}, 0, {});
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
/// predecessors of all they hold, dynamic programming over these finds the least load, or proves that it was found; otherwise
/// bounds are made better, by smallest cuts, and partitions until a limit is reached. A graph that is a path is cut as a
/// chain. With `method` linear no sets are listed, with down_sets nothing is tried if they are too many.
///
/// O(n + m) memory and 13 bytes for every set and number of devices; O(pairs of sets within a stage) changes of a set.
///
/// Source: J. Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020, for the
/// problem, the sets and linear orders; the pruning, the improvement and the bounds are described in docs/graphs.md.
inline constexpr minimize_load_fn minimize_load{};

}  // namespace stagecut::inline v0
