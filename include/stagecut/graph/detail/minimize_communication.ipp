// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/minimize_communication.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/check_communication.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/detail/placement_bound.hpp>
#include <stagecut/graph/detail/placement_moves.hpp>
#include <stagecut/graph/detail/placement_orders.hpp>
#include <stagecut/graph/detail/placement_search.hpp>
#include <stagecut/graph/detail/explain_infeasible_placement.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Places elements: cuts orders, moves single elements, then searches all placements if they are few enough.
class placement_solver {
 public:
  using ticks = communication_elements::ticks;
  using devices = std::vector<std::uint32_t>;

  /// @param elements  must outlive this object
  placement_solver(const communication_elements& elements, const search_options& limits,
                   const std::optional<std::size_t>& rounds)
      : elements_(elements), limits_(limits), rounds_limit_(rounds), random_(limits.seed), end_(limits.time_limit, limits.stop, limits.ended) {
    if (!elements.ordered()) below_ = by_number();
    back_ = reversed(below());
  }

  [[nodiscard]] outcome<communication_partition> run() {
    const auto late = [this] { return is_late(); };
    const function_ref<bool()> stop(late);
    bool proved = elements_.size() == 0 || elements_.devices() == 1;
    if (proved) {
      best_ = devices(elements_.size());
      return finished(true);
    }
    improve_starts(stop);
    bound_ = placement_bound(elements_).run(stop);
    tell();
    if (placement_search::is_small(elements_) && !spent_all(limits_, 0)) {
      placement_search search(elements_, limits_.node_limit.value_or(std::numeric_limits<std::size_t>::max()), stop);
      best_ = search.run(std::move(best_));
      proved = search.proved();
      nodes_ = search.nodes();
      if (!proved) static_cast<void>(spent_all(limits_, nodes_));
      bound_ = std::max(bound_, search.root_bound());
    }
    if (!best_ && proved) return outcome<communication_partition>::infeasible(no_placement(elements_));
    if (!best_) {
      return outcome<communication_partition>::unknown({reason::cause::constraint, 0, 0,
                                                        "no placement was found within what devices may hold",
                                                        "allow more imbalance"});
    }
    return finished(proved || bound_ == elements_.cut(*best_));
  }

 private:
  [[nodiscard]] bool is_late() { return end_.over(); }
  void tell() const {
    if (!limits_.progress) return;
    const double least = best_ ? elements_.communication(elements_.cut(*best_)) : 0;
    limits_.progress({end_.seconds(), least, elements_.communication(bound_), nodes_, rounds_});
  }

  [[nodiscard]] outcome<communication_partition> finished(bool proved) {
    communication_partition result;
    const ticks cut = elements_.cut(*best_);
    for (const std::uint32_t each : elements_.parts().expanded(*best_)) result.assignment.push_back(each);
    result.value = elements_.communication(cut);
    result.bound = proved ? result.value : elements_.communication(bound_);
    result.elements = elements_.size();
    result.statistics.evaluations = rounds_;
    result.statistics.nodes = nodes_;
    using answer = outcome<communication_partition>;
    return proved ? answer::optimal(std::move(result)) : answer::feasible(std::move(result));
  }

  /// Number of placements to improve: fewer for large graphs.
  [[nodiscard]] std::size_t rounds() const {
    if (rounds_limit_) return *rounds_limit_;
    return std::clamp<std::size_t>(20000000 / (1 + elements_.size() + elements_.link_ends()), 12, 60);
  }

  void improve_starts(const function_ref<bool()>& stop) {
    const std::size_t all = std::max<std::size_t>(rounds(), 1);
    while (rounds_ < all && !(rounds_ != 0 && stop())) {
      element_order order = next_order();
      if (elements_.any_fixed()) sort_by_devices(order);
      devices start = placement_cut(elements_, order).run();
      if (start.empty()) start = spread_in_order(order);
      polish(std::move(start), stop);
      if (!least_.empty() && rounds_ % 2 == 1) polish(kicked(), stop);
      ++rounds_;
      tell();
    }
  }

  /// Improves a placement until nothing helps, and keeps the best.
  void polish(devices start, const function_ref<bool()>& stop) {
    placement_moves moves(elements_, std::move(start));
    while (moves.improve(stop)) {
    }
    const std::tuple now(moves.excess(), moves.cut());
    if (!least_.empty() && std::tie(least_excess_, least_cut_) <= now) return;
    std::tie(least_excess_, least_cut_) = now;
    least_ = moves.device_of();
    if (least_excess_ == 0) best_ = least_;
  }

  /// The precedence; without any, links lead from the lower to the higher number.
  [[nodiscard]] const precedence& below() const { return elements_.ordered() ? elements_.below() : below_; }
  [[nodiscard]] precedence by_number() const {
    std::vector<precedence::pair> pairs;
    for (std::size_t e = 0; e < elements_.size(); ++e) {
      for (const auto& link : elements_.links(e)) {
        if (link.to > e) pairs.emplace_back(static_cast<precedence::element>(e), link.to);
      }
    }
    return precedence(elements_.size(), std::move(pairs));
  }

  /// The next order to cut: one of each kind, then random ones.
  [[nodiscard]] element_order next_order() {
    const std::size_t kind = rounds_;
    if (!elements_.ordered() && kind % 2 == 1) return grown_order(elements_, random_.below(elements_.size()));
    switch (elements_.ordered() ? kind : kind / 2) {
      case 0: return depth_first(below());
      case 1: return other_way(depth_first(back_));
      case 2: return least_handed(elements_, below(), false);
      case 3: return other_way(least_handed(elements_, back_, true));
      case 4: return breadth_first(below());
      case 5: return other_way(breadth_first(back_));
      case 6: return {below().order().begin(), below().order().end()};
      default: break;
    }
    return kind % 4 < 2 && elements_.ordered() ? random_order(below(), random_, least_)
                                               : random_order(below(), random_);
  }
  static element_order other_way(element_order order) {
    std::reverse(order.begin(), order.end());
    return order;
  }

  /// Puts elements fixed to the first devices first: edges still lead forwards.
  void sort_by_devices(element_order& order) const {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return elements_.first(a) + elements_.last(a) < elements_.first(b) + elements_.last(b);
    });
  }

  /// Fills one device after the other, within the devices allowed for each element.
  [[nodiscard]] devices spread_in_order(const element_order& order) const {
    devices result(elements_.size());
    communication_elements::weights held;
    communication_elements::weights all;
    for (std::size_t e = 0; e < elements_.size(); ++e) all.add(elements_.of(e));
    const auto share = [&](ticks amount, ticks of) {
      return of == 0 ? 0.0 : static_cast<double>(amount) / static_cast<double>(of);
    };
    for (const std::size_t e : order) {
      const double before = (share(held.variables, all.variables) + share(held.operations, all.operations)) / 2;
      const auto at = static_cast<std::size_t>(before * static_cast<double>(elements_.devices()));
      std::size_t device = std::clamp(at, elements_.first(e), elements_.last(e));
      if (elements_.ordered()) {
        for (const std::size_t from : elements_.below().predecessors(e)) {
          device = std::max<std::size_t>(device, result[from]);
        }
      }
      result[e] = static_cast<std::uint32_t>(device);
      held.add(elements_.of(e));
    }
    return result;
  }

  /// The best placement after some random moves.
  [[nodiscard]] devices kicked() {
    placement_moves moves(elements_, least_);
    const std::size_t count = 2 + elements_.size() / 50;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t e = random_.below(elements_.size());
      const auto [first, last] = moves.limits(e);
      moves.move(e, first + random_.below(last - first + 1));
    }
    return moves.device_of();
  }

  const communication_elements& elements_;
  const search_options& limits_;
  std::optional<std::size_t> rounds_limit_;
  engine::seeded random_;
  deadline end_;
  precedence below_{};  // if devices have no order
  precedence back_{};
  std::optional<devices> best_{};
  devices least_{};  // as the best, but devices may be overfull
  ticks least_excess_ = 0;
  ticks least_cut_ = 0;
  ticks bound_ = 0;
  std::size_t rounds_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::operator()(
    const communication_problem& problem, const communication_request& request) const {
  detail::check_communication_request(request);
  detail::check_communication_problem(problem);
  operator_graph graph;
  graph.operators.resize(problem.variables.size());
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (!problem.group.empty()) graph.operators[v].group = problem.group[v];
    if (!problem.device.empty()) graph.operators[v].stage = problem.device[v];
  }
  detail::communication_weights weights{problem.variables, problem.operations, {}};
  weights.operations.resize(problem.variables.size(), 1);
  for (const communication_edge& edge : problem.edges) {
    graph.edges.push_back({edge.from, edge.to});
    weights.edges.push_back(edge.weight);
  }
  return solve(graph, weights, request);
}

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::operator()(
    const operator_graph& graph, const communication_request& request) const {
  detail::check_communication_request(request);
  detail::check_operator_figures(graph);
  return solve(graph, detail::weights_of(graph), request);
}

STAGECUT_DECL outcome<communication_partition> minimize_communication_fn::solve(
    const operator_graph& graph, const detail::communication_weights& weights, const communication_request& request) {
  using answer = outcome<communication_partition>;
  operator_graph unordered;
  unordered.operators = graph.operators;
  const detail::communication_elements elements(graph, contraction(request.contiguous ? graph : unordered), weights,
                                                request);
  if (auto why = detail::explain_infeasible_placement(graph, elements)) return answer::infeasible(*std::move(why));
  return detail::recorded(request, [&](const communication_request& asked) {
    return detail::placement_solver(elements, asked.search, asked.rounds).run();
  });
}

}  // namespace stagecut::inline STAGECUT_ABI
