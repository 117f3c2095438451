// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/explain_infeasible_partition.hpp>
#include <stagecut/graph/detail/flow_bounds.hpp>
#include <stagecut/graph/detail/layer_merger.hpp>
#include <stagecut/graph/detail/load_solver.hpp>
#include <stagecut/graph/detail/load_work.hpp>
#include <stagecut/graph/detail/multilevel_stages.hpp>
#include <stagecut/graph/detail/path_load.hpp>
#include <stagecut/graph/detail/refined_stages.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/stage_figures.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// For each element the one into which it may be merged: an element that takes no time and has one neighbour, which is
/// on all of its nets, is merged into that, repeatedly, until there are none left.
///
/// No stage becomes costlier: the stage that loses the element paid for all of its nets, as the neighbour was
/// elsewhere, and so did the stage that gains it; all others hold as much of each net as before. The only neighbour is
/// there, so no precedence is violated. But a stage may become empty: so the least load stays the same only if fewer
/// stages are allowed and all stages are alike.
///
/// @param memory  whether elements that need memory stay: otherwise the least load is the same only if all elements
///                together fit on one device
[[nodiscard]] inline std::vector<contraction::element> folded_leaves(const contraction& parts,
                                                                     const operator_costs& costs, bool memory) {
  const std::size_t n = parts.elements();
  std::vector<std::set<contraction::element>> near(n);
  for (std::size_t e = 0; e < n; ++e) {
    for (const auto from : parts.below().predecessors(e)) near[e].insert(from);
    for (const auto to : parts.below().successors(e)) near[e].insert(to);
  }
  std::vector<contraction::element> into(n);
  for (std::size_t e = 0; e < n; ++e) into[e] = static_cast<contraction::element>(e);
  const auto takes_nothing = [&](std::size_t e) {
    const operator_costs::figures& each = costs.of(e);
    const bool none = each.resident == 0 && each.activations == 0 && each.workspace == 0 && costs.shared_by(e).empty();
    return each.forward == 0 && each.backward == 0 && each.cpu == 0 && each.stage == graph_operator::none &&
           (none || !memory);
  };
  const auto found = [&](contraction::element e) {
    while (into[e] != e) e = into[e];
    return e;
  };
  const auto shares_all_nets = [&](std::size_t e, contraction::element other) {
    for (const operator_costs::link& link : costs.nets_of(e)) {
      bool shared = false;
      for (const contraction::element pin : costs.pins(link.net)) shared = shared || found(pin) == other;
      if (!shared) return false;
    }
    return true;
  };
  std::vector<std::size_t> left;
  for (std::size_t e = n; e-- > 0;) left.push_back(e);
  while (!left.empty()) {
    const std::size_t e = left.back();
    left.pop_back();
    if (into[e] != e || near[e].size() != 1 || !takes_nothing(e)) continue;
    const contraction::element other = *near[e].begin();
    const operator_costs::figures& here = costs.of(e);
    const operator_costs::figures& there = costs.of(other);
    if ((there.on_accelerator && !here.on_accelerator) || (there.on_cpu && !here.on_cpu)) continue;
    if (!shares_all_nets(e, other)) continue;
    into[e] = other;
    near[other].erase(static_cast<contraction::element>(e));
    left.push_back(other);
  }
  for (std::size_t e = 0; e < n; ++e) {
    while (into[into[e]] != into[e]) into[e] = into[into[e]];
  }
  return into;
}

/// Merges elements into stages on accelerators, and refines these. The answer has no partition if too many are left, or
/// if one does not fit.
[[nodiscard]] inline load_answer<operator_costs::ticks> merged_load(const operator_costs& costs,
                                                                    const precedence& below, const stage_counts& counts,
                                                                    const function_ref<bool()>& stop) {
  load_answer<operator_costs::ticks> result = unsearched(costs, counts);
  layer_merger merger(costs, below, counts.devices, std::numeric_limits<operator_costs::ticks>::max() / 2, 200, stop);
  merger.run(counts.devices, merge_order::lightest);
  if (merger.left() > counts.devices) return result;
  if (counts.at_most) merger.fewer();
  put_refined(costs, below, merger.part_of(), merger.left(), stop, result);
  return result;
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
    if (auto why = explain_infeasible_partition(graph_, parts_, costs_, counts_))
      return answer::infeasible(*std::move(why));
    const bool by_moves = request_.method == graph_method::merge || request_.method == graph_method::by_levels;
    answer_type found = by_moves ? moved(request_.method) : solve();
    // Without CPUs to fill and fixed operators to place, small graphs are left to the search.
    const bool lacks = request_.method == graph_method::by_levels && (!found.best || counts_.cpus > 0);
    if (lacks && parts_.elements() <= searched_further && !over(request_.search))
      found = better_of(found, searched(found));
    if (!found.best && by_moves && !found.infeasible && !over(request_.search)) {
      return answer::unknown({reason::cause::constraint, 0, 0, "no stages were found that fit", "take another method"});
    }
    if (found.infeasible) return answer::infeasible(no_partition(graph_, parts_, costs_, counts_));
    if (!found.best) return answer::unknown({});
    graph_partition result = described(found);
    return found.proved() ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

 private:
  [[nodiscard]] answer_type solve() const {
    if (is_path(parts_, costs_, counts_)) return on_path();
    const bool any = request_.method == graph_method::automatic;
    const bool many = parts_.elements() > (any ? begun_by_orders : searched_further);
    if (!many) return searched({});
    answer_type start = moved(graph_method::by_levels);
    const bool large = any && parts_.elements() > searched_further && start.best;
    const search_options brief = until(0.25);
    const std::size_t most = most_work(request_.search, 0.25, parts_.elements());
    const auto late = [&] { return over(brief) || (start.work += work_of_flow(parts_.elements())) > most; };
    if (large) {
      const ticks bound = raised(costs_, counts_, start.bound, start.best->value, late);
      start.bound = next_value(operator_set(costs_), bound);
    }
    if (large || start.proved()) return start;
    return better_of(start, searched(start));
  }
  /// The result of a search, or its start if that is better.
  static answer_type better_of(const answer_type& start, answer_type found) {
    if (!start.best || (found.best && found.best->value <= start.best->value)) return found;
    found.best = start.best;
    found.pool.insert(found.pool.begin(), *start.best);
    return found;
  }
  static constexpr std::size_t begun_by_orders = 256;  // elements; more are first cut as large graphs are
  static constexpr std::size_t searched_further = 5000;

  /// Searches orders and down-sets, starting from a partition if there is one.
  [[nodiscard]] answer_type searched(const answer_type& start) const {
    const search_options& limits = request_.search;
    if (operator_set(costs_).by_position()) return solved(parts_, costs_, counts_, start, limits);
    const contraction folded = parts_.merged(graph_, folded_leaves(parts_, costs_, false));
    if (folded.elements() == parts_.elements()) return solved(parts_, costs_, counts_, start, limits);
    // With fewer stages allowed and the memory of leaves omitted, nothing costs more: this gives a bound, and the
    // answer if both hold anyway.
    stage_counts fewer = counts_;
    fewer.at_most = true;
    const bool same = counts_.at_most && !request_.load.memory_limit;
    if (same) return solved_folded(graph_, folded, fewer, {}, limits);
    // Its partitions may be invalid for this problem: only the bound is reported.
    search_options quiet = until(0.5);
    const auto tell = [&](search_progress progress) {
      progress.value = 0;
      limits.progress(progress);
    };
    if (limits.progress) quiet.progress = tell;
    answer_type relaxed = solved_folded(without_memory_of_leaves(folded), folded, fewer, {}, quiet);
    if (relaxed.infeasible) return relaxed;
    if (relaxed.best && keeps(*relaxed.best)) {
      return relaxed.proved() ? relaxed : solved(parts_, costs_, counts_, relaxed, limits);
    }
    relaxed.best.reset();
    answer_type found = solved_folded(graph_, folded, counts_, relaxed, until(0.75));
    if (found.best && found.best->value <= relaxed.bound) return found;
    found.bound = relaxed.bound;  // a proof for folded leaves is no bound here
    return solved(parts_, costs_, counts_, found, limits);
  }

  /// The limits with a part of the time and of the rounds, counted from the start.
  [[nodiscard]] search_options until(double part) const {
    search_options result = request_.search;
    if (result.time_limit) *result.time_limit *= part;
    if (result.node_limit) {
      *result.node_limit = static_cast<std::size_t>(part * static_cast<double>(*result.node_limit));
    }
    return result;
  }

  /// Solves for a contraction of `graph` with folded leaves, and expands the result to the elements of `parts_`.
  [[nodiscard]] answer_type solved_folded(const operator_graph& graph, const contraction& folded,
                                          const stage_counts& counts, const answer_type& known,
                                          const search_options& limits) const {
    const operator_costs costs(graph, folded, request_.load, request_.devices + request_.cpus);
    answer_type found = solved(folded, costs, counts, known, limits);
    const auto unfold = [&](element_stages<ticks>& stages) {
      std::vector<std::uint32_t> stage_of(parts_.elements());
      for (std::size_t e = 0; e < stage_of.size(); ++e) {
        stage_of[e] = stages.stage_of[folded.element_of(parts_.operators_of(e)[0])];
      }
      stages.stage_of = std::move(stage_of);
    };
    if (found.best) unfold(*found.best);
    for (element_stages<ticks>& stages : found.pool) unfold(stages);
    return found;
  }

  /// The graph in which only the first operator of each element of `folded` needs memory, together with the rest of its
  /// element in `parts_`.
  [[nodiscard]] operator_graph without_memory_of_leaves(const contraction& folded) const {
    operator_graph result = graph_;
    if (!request_.load.memory_limit) return result;
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
      result.operators[v].workspace = 0;
      left_out[v] = true;
    }
    for (shared_parameters& parameters : result.shared)
      std::erase_if(parameters.operators, [&](auto v) { return left_out[v]; });
    return result;
  }

  /// Whether a partition for a relaxed problem is valid for this one.
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
                                   const answer_type& known, const search_options& limits) const {
    const operator_set empty(costs);
    load_solver<operator_set> solver(parts.below(), empty, counts, request_.method, request_.most_down_sets, limits,
                                     costs.seconds(1), begin_);
    const auto better = [&](ticks so_far, ticks best, const function_ref<bool()>& stop) {
      return raised(costs, counts, so_far, best, stop);
    };
    return solver.run(known, better);
  }

  /// A bound improved by minimum cuts.
  static ticks raised(const operator_costs& costs, const stage_counts& counts, ticks bound, ticks best,
                      const function_ref<bool()>& stop) {
    if (costs.size() > 20000) return bound;
    flow_bounds bounds(costs, counts);
    return bounds.cover(bounds.flow(bound, stop), best, stop);
  }

  /// Rounds do not count here: the callers end by themselves, after a number of orders, merges or passes bounded by the
  /// graph's size.
  [[nodiscard]] bool over(const search_options& limits) const {
    constexpr double uncounted = -1;
    return is_over(limits, uncounted, seconds_now() - begin_);
  }

  /// Solves by the methods for large graphs: parts, and moves of single elements.
  [[nodiscard]] answer_type moved(graph_method method) const {
    const search_options& limits = request_.search;
    const auto stop = [&] { return over(limits); };
    if (method == graph_method::merge) return merged_load(costs_, parts_.below(), counts_, stop);
    return multilevel_stages(costs_, parts_.below(), counts_, limits.seed, parts_.elements() <= 200000, stop);
  }

  [[nodiscard]] answer_type on_path() const {
    answer_type result;
    result.best = least_path_load(path_load_of(parts_, costs_), parts_.below().order(), counts_);
    result.infeasible = !result.best;
    if (result.best) result.bound = result.best->value;
    return result;
  }

  [[nodiscard]] graph_partition described(const answer_type& found) const {
    graph_partition result;
    const std::vector<std::uint32_t> stages = parts_.expanded(found.best->stage_of);
    result.assignment.assign(stages.begin(), stages.end());
    result.stages = stage_figures(graph_, result.assignment, found.best->kinds, request_.load);
    for (const graph_stage& stage : result.stages) result.value = stage.load > result.value ? stage.load : result.value;
    const double bound = costs_.seconds(found.bound);
    result.bound = found.proved() || bound > result.value ? result.value : bound;
    result.elements = parts_.elements();
    result.statistics.evaluations = found.down_sets;
    result.statistics.nodes = found.rounds;
    for (const element_stages<ticks>& each : found.pool) {
      const std::vector<std::uint32_t> other = parts_.expanded(each.stage_of);
      result.others.emplace_back(other.begin(), other.end());
    }
    return result;
  }

  const operator_graph& graph_;
  const load_request& request_;
  stage_counts counts_;
  contraction parts_;
  operator_costs costs_;
  double begin_ = seconds_now();
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
