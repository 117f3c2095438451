// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/stage_bounds.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The cuts of a chain as a layered graph with one step per stage.
class stage_graph {
 public:
  stage_graph(const engine::chain_ticks& chain, const schedule& order, transfer_kind transfers,
              const engine::cut_rules& rules)
      : chain_(chain), order_(order), rules_(rules), bounds_(chain, order, transfers) {}

  /// The microbatches in flight if the schedule is of that family.
  [[nodiscard]] const std::optional<std::vector<std::size_t>>& in_flight() const noexcept {
    return bounds_.in_flight();
  }

  /// Builds a graph whose paths include all cuts of makespan `most` or less. Returns false if it has more than
  /// `most_edges`, or time runs out. A graph without edges: there is no such cut.
  bool build(double most, std::size_t most_edges, engine::search_clock& clock, engine::layered_graph& graph) const {
    const std::size_t n = chain_.items;
    const std::size_t stages = chain_.stages;
    const auto passes = static_cast<double>(order_.microbatches * order_.slices);
    const std::vector<double> least = least_before();
    double before = 0;                        // fixed time of the previous stages
    std::vector<std::uint32_t> at(n + 1, 0);  // nodes of the step, plus 1
    graph = {};
    graph.nodes.push_back({0, {0, 0, 0}});
    std::size_t begin = 0;
    std::size_t counted = 0;  // edges counted so far, as choices of 16
    for (std::size_t s = 0; s < stages; ++s) {
      const std::size_t end = graph.nodes.size();
      const std::size_t highest = n - (stages - 1 - s);
      at.assign(n + 1, 0);
      for (std::size_t u = begin; u < end; ++u) {
        const std::size_t a = graph.nodes[u].cut[1];
        if (clock.look()) return false;
        for (std::size_t e = s + 1 == stages ? n : a + 1; e <= highest; ++e) {
          const double load = chain_.load(s, a, e);
          if (before + least[a] + passes * load > most) break;
          if (!rules_.allows(s, a, e)) {
            if (rules_.hopeless(s, a, e)) break;
            continue;
          }
          if (at[e] == 0) at[e] = 1;
          graph.edges.push_back({static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(e), 0});
        }
        if (graph.edges.size() > most_edges) return false;
        clock.work(graph.edges.size() / 16 - counted);
        counted = graph.edges.size() / 16;
      }
      add_nodes(graph, static_cast<std::uint32_t>(s + 1), begin, at);
      begin = end;
      before += chain_.splits ? chain_.own(engine::tick_f, s) : chain_.own_load(s);
    }
    if (!graph.prune(static_cast<std::uint32_t>(stages), [](const auto&) { return false; })) graph.edges.clear();
    graph.compact();
    if (most >= engine::no_ticks) return true;
    if (!in_flight()) bounds_.set(graph, clock);
    refine(graph, most, clock);
    return !clock.look();
  }

  /// Removes what no cut of makespan `most` or less uses, by bounds on the rest of the graph, until nothing changes.
  /// Returns whether a path is left.
  bool refine(engine::layered_graph& graph, double most, engine::search_clock& clock) const {
    const auto last = static_cast<std::uint32_t>(chain_.stages);
    for (int round = 0; round < 8 && !graph.edges.empty(); ++round) {
      const std::size_t before = graph.edges.size();
      if (in_flight()) bounds_.set(graph, clock);
      if (!graph.prune(last, [most](const auto& edge) { return edge.bound > most; })) graph.edges.clear();
      if (graph.edges.empty()) break;
      if (graph.edges.size() == before || !in_flight() || clock.look()) break;
    }
    return !graph.edges.empty();
  }

 private:
  /// Adds the nodes of a step, by cut point, where `at` is set. Edges from the nodes after `begin` hold the cut point
  /// in place of their node.
  static void add_nodes(engine::layered_graph& graph, std::uint32_t step, std::size_t begin,
                        std::vector<std::uint32_t>& at) {
    for (std::size_t e = 0; e < at.size(); ++e) {
      if (at[e] == 0) continue;
      at[e] = static_cast<std::uint32_t>(graph.nodes.size());
      graph.nodes.push_back({step, {0, static_cast<std::uint32_t>(e), 0}});
    }
    for (std::size_t i = graph.edges.size(); i-- > 0 && graph.edges[i].from >= begin;) {
      graph.edges[i].to = at[graph.edges[i].to];
    }
  }

  /// Lower bounds on the time of the items before every cut point, before the first pass of the next stage and, if its
  /// last pass is a backward one, after that: docs/makespan.md, Bounds, "And for all".
  [[nodiscard]] std::vector<double> least_before() const {
    std::vector<double> least(chain_.items + 1);
    for (std::size_t i = 0; i < chain_.items; ++i) {
      least[i + 1] = least[i] + chain_.least([&](std::size_t s) {
        return chain_.splits ? chain_.item(engine::tick_f, s, i) : chain_.item_load(s, i);
      });
    }
    return least;
  }

  const engine::chain_ticks& chain_;
  const schedule& order_;
  const engine::cut_rules& rules_;
  stage_bounds bounds_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
