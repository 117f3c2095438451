// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/path_pool.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/nogood_store.hpp>
#include <stagecut/makespan/detail/path_completions.hpp>
#include <stagecut/makespan/detail/path_lengths.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches the paths of a layered graph depth first for cuts below a makespan, and proves that there are none.
///
/// Abandons a partial cut if a path of the pool is too long in every completion. Keeps with each node the reason why
/// its completions failed: lengths of some paths up to the node. A later visit with lengths at least these is skipped.
/// Independent of the schedule. Proofs: docs/makespan.md, Bounds ("every path is a bound for every cut") and The
/// search.
class cut_search {
 public:
  /// The outcome of a search.
  enum class result : std::uint8_t {
    none,    ///< no cut is left
    found,   ///< the visitor stopped
    gave_up  ///< out of nodes or time
  };

  /// Receives every cut of makespan `most` or less, and returns the makespan up to which to continue; negative: stop.
  using visitor = function_ref<double(view<const std::size_t> points, double makespan)>;

  cut_search(const engine::chain_ticks& chain, const schedule& order, const engine::stage_layout& layout,
             const engine::cut_rules& rules, engine::cut_simulator& simulator, engine::path_pool& pool,
             engine::search_clock& clock)
      : layout_(layout),
        rules_(rules),
        simulator_(simulator),
        pool_(pool),
        clock_(clock),
        points_(chain.stages + 1),
        rest_(pool, layout.steps()),
        lengths_(pool, rest_, layout.steps()) {
    points_[chain.stages] = chain.items;
    checks_ranks_ = layout.kind == engine::stage_layout::shape::chain && rules.has_rank_rules();
    if (checks_ranks_) rank_of_ = order.rank_of;
    const std::size_t depth = layout.steps() + 1;
    broken_.resize(depth);
    chosen_.resize(depth);
    candidates_.resize(depth);
  }

  /// Visits all cuts of makespan `most` or less that are paths of the graph. Removes edges that no such cut uses.
  ///
  /// @param nodes  the most partial cuts to examine
  /// @param whole  whether the graph has all cuts of makespan `most` or less, and the nodes of the last whole one, so
  ///               that what was learned from that applies
  result operator()(engine::layered_graph& graph, double most, std::size_t nodes, bool whole, const visitor& visit) {
    if (!whole || graph.nodes.size() != nogoods_.nodes()) nogoods_.reset(graph.nodes.size());
    const result here = search(graph, most, nodes, visit);
    if (!whole) nogoods_.reset(0);
    return here;
  }

  /// Removes edges that no cut of makespan `most` or less uses, by the known paths. Returns whether any edge is left.
  bool filter(engine::layered_graph& graph, double most) { return rest_.filter(graph, most, clock_); }

 private:
  enum class verdict : std::uint8_t { failed, open, tired, stopped };

  result search(engine::layered_graph& graph, double most, std::size_t nodes, const visitor& visit) {
    graph_ = &graph;
    most_ = most;
    visit_ = visit;
    const std::size_t end = clock_.state.nodes + nodes;
    std::size_t budget = 300;
    for (;;) {
      if (clock_.look()) return result::gave_up;
      if (graph.edges.empty() || !rest_.filter(graph, most_, clock_)) return result::none;
      if (clock_.look()) return result::gave_up;
      lengths_.restart();
      last_node_ = clock_.state.nodes + budget < end ? clock_.state.nodes + budget : end;
      const verdict here = descend(0, 0);
      if (here == verdict::stopped) return result::found;
      if (here != verdict::tired) return result::none;
      if (clock_.look() || clock_.state.nodes >= end) return result::gave_up;
      budget *= 2;
    }
  }

  struct candidate {
    double most;  // a lower bound on the longest path through it
    std::uint32_t edge;
  };

  [[nodiscard]] const engine::layered_graph::node& node(std::uint32_t u) const { return graph_->nodes[u]; }

  /// Tries all completions of node u at step t, where the paths have the lengths `lengths_.up_to(t)`.
  verdict descend(std::uint32_t u, std::size_t t) {
    ++clock_.state.nodes;
    if (clock_.over() || clock_.state.nodes > last_node_) return verdict::tired;
    lengths_.forget_conditions(t);
    broken_[t] = false;
    chosen_[t] = u;
    std::vector<candidate>& candidates = candidates_[t];
    candidates.clear();
    for (std::uint32_t i = graph_->first[u]; i < graph_->first[u + 1]; ++i) {
      const double most = lengths_.longest(t, *graph_, u, graph_->edges[i].to);
      if (most > most_) {
        lengths_.explain(t, graph_->edges[i].to, most_);
      } else {
        candidates.push_back({most, i});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
      return a.most < b.most || (a.most == b.most && a.edge < b.edge);
    });
    bool open = false;
    for (std::size_t c = 0; c < candidates_[t].size(); ++c) {
      const std::uint32_t v = graph_->edges[candidates_[t][c].edge].to;
      const verdict of = enter(t, u, v);
      if (of == verdict::tired || of == verdict::stopped) return of;
      open = open || of == verdict::open;
    }
    if (open) return verdict::open;
    if (!broken_[t]) nogoods_.add(u, most_, lengths_.conditions(t), pool_);
    return verdict::failed;
  }

  /// Tries an edge; on failure, adds the reason to the conditions of step t.
  verdict enter(std::size_t t, std::uint32_t u, std::uint32_t v) {
    if (lengths_.longest(t, *graph_, u, v) > most_) {  // paths were found since the last check
      lengths_.explain(t, v, most_);
      return verdict::failed;
    }
    lengths_.go_on(t);
    chosen_[t + 1] = v;
    if (checks_ranks_ && !rank_fits(t)) {
      broken_[t] = true;  // the reason is not a path
      return verdict::failed;
    }
    if (t + 1 == layout_.steps()) return leaf(t, v);
    if (const auto* const known = nogoods_.find(v, most_, lengths_.up_to(t + 1), pool_); known != nullptr) {
      for (const auto& each : *known) lengths_.require(t, each.path, each.length - lengths_.of_edge(t)[each.path]);
      return verdict::failed;
    }
    const verdict of = descend(v, t + 1);
    if (of != verdict::failed) return of;
    lengths_.require_of_next(t);
    if (broken_[t + 1]) broken_[t] = true;
    return verdict::failed;
  }

  /// Handles a complete cut, whose last edge is the one tried at step t.
  verdict leaf(std::size_t t, std::uint32_t v) {
    if (clock_.look()) return verdict::tired;
    for (std::size_t step = 0; step <= t; ++step) {
      for (std::size_t j = 0; j < layout_.width(step); ++j) {
        const interval part = layout_.part(j, node(chosen_[step]), node(chosen_[step + 1]));
        points_[layout_.stage(step, j)] = part.first;
      }
    }
    const double makespan = simulator_(points_);
    clock_.state.evaluations = simulator_.simulations;
    if (makespan <= most_) {
      most_ = visit_(view<const std::size_t>(points_), makespan);
      if (most_ < 0) return verdict::stopped;
      if (makespan <= most_) return verdict::open;
    }
    simulator_.count_critical(counts_);
    const std::size_t path = lengths_.put(t, counts_, *graph_);
    if (path == pool_.capacity()) {
      broken_[t] = true;
      return verdict::failed;
    }
    lengths_.follow(t, path, *graph_, chosen_);
    lengths_.require(t, path, most_ + 1 - lengths_.of_edge(t)[path] - rest_[v][path]);
    return verdict::failed;
  }

  /// Whether the stages so far of the rank of stage t may be together; any superset of a forbidden set is forbidden.
  [[nodiscard]] bool rank_fits(std::size_t t) {
    const std::size_t rank = rank_of_[t];
    parts_.clear();
    for (std::size_t s = 0; s <= t; ++s) {
      if (rank_of_[s] == rank) parts_.push_back(layout_.part(0, node(chosen_[s]), node(chosen_[s + 1])));
    }
    return rules_.allows_rank(rank, parts_);
  }

  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::path_pool& pool_;
  engine::search_clock& clock_;
  visitor visit_{};
  engine::layered_graph* graph_ = nullptr;
  double most_ = 0;
  std::size_t last_node_ = 0;
  bool checks_ranks_ = false;
  std::vector<std::size_t> rank_of_{};  // per stage, if ranks are checked
  std::vector<interval> parts_{};
  std::vector<std::size_t> points_;
  std::vector<double> counts_{};
  path_completions rest_;
  nogood_store nogoods_{};
  path_lengths lengths_;
  // Per step on the way down:
  std::vector<bool> broken_{};  // whether a try failed for a reason other than a path
  std::vector<std::uint32_t> chosen_{};
  std::vector<std::vector<candidate>> candidates_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
