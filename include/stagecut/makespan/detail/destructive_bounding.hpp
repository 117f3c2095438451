// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the best cut of a graph of cuts, and decides whether any is below a makespan.
class destructive_bounding {
 public:
  destructive_bounding(const engine::chain_ticks& chain, const makespan_request& request,
                       const engine::stage_layout& layout, const engine::cut_rules& rules,
                       engine::cut_simulator& simulator, cut_space& space, engine::search_clock& clock,
                       engine::incumbent& best)
      : chain_(chain),
        request_(request),
        order_(request.schedule),
        layout_(layout),
        rules_(rules),
        simulator_(simulator),
        space_(space),
        clock_(clock),
        best_(best) {}

  /// The cut with the smallest bottleneck bound is often the best one.
  void take_bound_cut(const engine::layered_graph& graph) {
    const std::vector<std::uint32_t> path = graph.least_path();
    if (path.size() != layout_.steps() + 1) return;
    std::vector<std::size_t> points(chain_.stages + 1);
    points.back() = chain_.items;
    for (std::size_t t = 0; t + 1 < path.size(); ++t) {
      const auto& u = graph.nodes[path[t]];
      for (std::size_t j = 0; j < layout_.width(t); ++j) {
        points[layout_.stage(t, j)] = layout_.part(j, u, graph.nodes[path[t + 1]]).first;
      }
    }
    if (engine::allowed_cut(order_, rules_, points)) best_.offer(points, simulator_(points));
  }

  /// Proves that no cut has makespan `most` or less, or finds one: docs/makespan.md, The search.
  void attempt(double most, std::size_t nodes) {
    engine::layered_graph graph = space_.within(most);
    if (clock_.look() || exhaust(graph, most)) return;
    const auto better = [&](view<const std::size_t> points, double value) {
      best_.offer(points, value);
      return value - 1;
    };
    const auto left =
        graph.edges.empty() ? cut_search::result::none : space_.search()(graph, most, nodes, true, better);
    if (left == cut_search::result::none) raise_above(most);
  }

  /// Attempts a 32nd of the way from the bound to the best, an eighth, half and all of it: low targets finish soon, and
  /// what they teach makes the last one easy.
  void attempt_all(std::size_t nodes) {
    space_.shrink(best_.makespan());
    for (const double part : {32.0, 8.0, 2.0, 1.0}) {
      if (best_.proved() || clock_.look()) return;
      const double gap = best_.makespan() - 1 - best_.bound();
      attempt(best_.bound() + engine::whole_ticks(gap / part), nodes);
    }
  }

 private:
  /// Raises the bound: no cut takes `most` or less, except the known ones.
  void raise_above(double most) { best_.raise((most < best_.makespan() - 1 ? most : best_.makespan() - 1) + 1); }

  /// Lets the enumerator, if any, evaluate all cuts of a graph. Returns whether it did.
  bool exhaust(const engine::layered_graph& graph, double most) {
    if (!request_.backends.enumerator || graph.edges.empty()) return false;
    double seconds = std::numeric_limits<double>::infinity();
    if (request_.search.time_limit) seconds = *request_.search.time_limit - clock_.state.seconds;
    const engine::cut_problem problem{chain_, order_, request_.transfers, rules_};
    const double last = most < best_.makespan() - 1 ? most : best_.makespan() - 1;
    const auto stop = [this] { return clock_.look(); };
    std::vector<std::size_t> points(chain_.stages + 1);
    const enumeration_answer found =
        request_.backends.enumerator({&problem, &graph, &layout_, last, seconds, stop}, points);
    if (found == enumeration_answer::too_many) return false;
    if (found == enumeration_answer::none) return raise_above(last), true;
    if (!engine::is_cut(points, chain_.items) || !engine::allowed_cut(order_, rules_, points)) return false;
    const double makespan = simulator_(points);
    best_.offer(points, makespan);
    best_.raise(makespan);
    clock_.state.evaluations = simulator_.simulations;
    return true;
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const schedule& order_;
  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  cut_space& space_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
