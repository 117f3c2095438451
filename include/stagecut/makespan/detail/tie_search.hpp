// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/detail/gpipe_cut.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The time of the heaviest stage of a cut, over all passes of a microbatch.
[[nodiscard]] inline double heaviest_stage(const engine::chain_ticks& chain, view<const std::size_t> points) {
  double most = 0;
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    const double load = chain.load(s, points[s], points[s + 1]);
    most = std::max(most, load);
  }
  return most;
}

/// Finds, among the cuts of smallest makespan, the one with the smallest bottleneck, then the lexicographically
/// smallest: docs/makespan.md, Ties.
class tie_search {
 public:
  /// @param space  contains all cuts of the makespan of `best`, which is proved
  tie_search(const engine::chain_ticks& chain, const engine::stage_layout& layout, cut_space& space,
             engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain), layout_(layout), space_(space), clock_(clock), best_(best) {}

  /// Replaces the best by that cut. False: a limit was reached before, and the best is one of the ties.
  [[nodiscard]] bool run() {
    const auto any = [this](engine::layered_graph& graph) { return find_any(graph); };
    return lighten(any) && take_smallest();
  }

  /// The same for schedules that `gpipe_cut` solves: no search, a polynomial number of shortest paths.
  ///
  /// @param microbatches  m
  /// @param serial        whether a boundary carries one message at a time
  [[nodiscard]] bool run_gpipe(std::size_t microbatches, bool serial, engine::cut_simulator& simulate) {
    const auto smallest = [&](engine::layered_graph& graph) {
      gpipe_cut solver(chain_, microbatches, serial, graph);
      if (!solver.run(best_.makespan(), clock_)) return cut_search::result::gave_up;
      if (solver.makespan > best_.makespan() || solver.points.size() != chain_.stages + 1) {
        return cut_search::result::none;
      }
      best_.replace(solver.points, simulate(solver.points));
      return cut_search::result::found;
    };
    return lighten(smallest) && attempt(heaviest_, smallest) == cut_search::result::found;
  }

 private:
  /// Searches a part of the graph for a cut as good as the best, and replaces the best by it.
  using finder = function_ref<cut_search::result(engine::layered_graph&)>;

  [[nodiscard]] double load(const engine::layered_graph::edge& each, const engine::layered_graph& graph) const {
    const auto& u = graph.nodes[each.from];
    const auto& v = graph.nodes[each.to];
    double most = 0;
    for (std::size_t j = 0; j < layout_.width(u.step); ++j) {
      const interval part = layout_.part(j, u, v);
      const double here = chain_.load(layout_.stage(u.step, j), part.first, part.last);
      most = std::max(most, here);
    }
    return most;
  }

  /// Minimizes the heaviest stage of the best; heavier ones leave the graph.
  bool lighten(const finder& find) {
    graph_ = space_.within(best_.makespan());
    if (clock_.look() || !thin()) return false;
    heaviest_ = heaviest_stage(chain_, best_.points());
    // No path is lighter than this.
    double least = graph_.least_largest([this](const auto& edge) { return load(edge, graph_); });
    for (double middle = least; least < heaviest_; middle = least + engine::whole_ticks((heaviest_ - least) / 2)) {
      const double most = snapped(least, middle);
      const auto found = attempt(most, find);
      if (found == cut_search::result::gave_up) return false;
      if (found == cut_search::result::found) {
        heaviest_ = heaviest_stage(chain_, best_.points());
        if (!leave_out_heavier()) return false;
      } else {
        least = lightest_above(most);
      }
    }
    return leave_out_heavier();
  }

  bool leave_out_heavier() {
    return graph_.prune(last_step(), [this](const auto& edge) { return load(edge, graph_) > heaviest_; }) && thin();
  }

  /// Removes from the graph what bounds and known paths exclude. False: a limit was reached.
  bool thin() {
    space_.refine(graph_, best_.makespan());
    if (clock_.look() || graph_.edges.empty() || !space_.search().filter(graph_, best_.makespan())) return false;
    graph_.compact();
    return !clock_.look();
  }

  /// Searches the cuts whose stages take `most` or less.
  cut_search::result attempt(double most, const finder& find) {
    engine::layered_graph graph = graph_;
    if (!graph.prune(last_step(), [&](const auto& edge) { return load(edge, graph) > most; })) {
      return cut_search::result::none;
    }
    return search(graph, find);
  }

  cut_search::result search(engine::layered_graph& graph, const finder& find) {
    space_.refine(graph, best_.makespan());
    if (clock_.look()) return cut_search::result::gave_up;
    return graph.edges.empty() ? cut_search::result::none : find(graph);
  }

  cut_search::result find_any(engine::layered_graph& graph) {
    const auto take = [this](view<const std::size_t> points, double value) {
      best_.replace(points, value);
      return -1.0;
    };
    return space_.search()(graph, best_.makespan(), ~std::size_t{0} / 2, false, take);
  }

  /// The largest load of an edge from `least` to `most`; `least` if there is none.
  [[nodiscard]] double snapped(double least, double most) const {
    double best = least;
    for (const auto& edge : graph_.edges) {
      const double here = load(edge, graph_);
      if (here <= most && here > best) best = here;
    }
    return best;
  }
  /// The smallest load of an edge above `most`, or the best cut's.
  [[nodiscard]] double lightest_above(double most) const {
    double best = heaviest_;
    for (const auto& edge : graph_.edges) {
      const double here = load(edge, graph_);
      if (here > most && here < best) best = here;
    }
    return best;
  }

  /// Finds the lexicographically smallest of the cuts of the graph that match the best: one point after the other.
  bool take_smallest() {
    const auto any = [this](engine::layered_graph& graph) { return find_any(graph); };
    for (std::size_t s = 1; s < chain_.stages;) {
      if (clock_.look()) return false;
      engine::layered_graph graph = graph_;
      const bool left = graph.prune(last_step(), [&](const auto& edge) { return !may_begin_smaller(edge, graph, s); });
      const auto found = left ? search(graph, any) : cut_search::result::none;
      if (found == cut_search::result::gave_up) return false;
      if (found == cut_search::result::none) ++s;
    }
    return true;
  }

  /// Whether a cut through the edge may share the best's points before point s, and have a smaller one there.
  [[nodiscard]] bool may_begin_smaller(const engine::layered_graph::edge& each, const engine::layered_graph& graph,
                                       std::size_t s) const {
    const auto fits = [&](std::size_t index, std::size_t point) {
      return index > s || index == 0 || (index == s ? point < best_.points()[s] : point == best_.points()[index]);
    };
    const auto& u = graph.nodes[each.from];
    const auto& v = graph.nodes[each.to];
    for (std::size_t j = 0; j < layout_.width(u.step); ++j) {
      const std::size_t stage = layout_.stage(u.step, j);
      const interval part = layout_.part(j, u, v);
      if (!fits(stage, part.first) || !fits(stage + 1, part.last)) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t last_step() const { return static_cast<std::uint32_t>(layout_.steps()); }

  const engine::chain_ticks& chain_;
  const engine::stage_layout& layout_;
  cut_space& space_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  engine::layered_graph graph_{};  // all cuts that match the best without a heavier stage
  double heaviest_ = 0;            // stage of the best
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
