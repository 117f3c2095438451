// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/engine/basic_layered_graph.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// What the later stages need to know about the cut points chosen so far.
struct cut_node {
  std::uint32_t step;
  std::uint32_t cut[3];  // see `stage_layout`
};

/// The choice of the stages of a step.
struct cut_edge {
  std::uint32_t from;
  std::uint32_t to;
  double bound;  // no cut through it takes less
};

/// Cuts as paths, which begin at the first node, the only one of its step.
struct layered_graph : basic_layered_graph<cut_node, cut_edge> {
  /// Removes the nodes without edges, except the first.
  void compact() {
    marks_.assign(nodes.size(), 0);
    marks_[0] = 2;
    for (const edge& each : edges) marks_[each.from] = marks_[each.to] = 2;
    keep_marked();
  }

  /// The path with the smallest largest bound, as its nodes; empty if there is no path.
  [[nodiscard]] std::vector<std::uint32_t> least_path() const {
    std::vector<double> rest;
    const auto largest = [this](std::size_t i, double behind) { return std::max(behind, edges[i].bound); };
    std::vector<std::uint32_t> path;
    if (least(largest, rest) >= no_ticks) return path;
    for (std::uint32_t u = 0;;) {
      path.push_back(u);
      if (first[u] == first[u + 1]) return path;
      std::uint32_t next = edges[first[u]].to;
      double best = no_ticks;
      for (std::uint32_t i = first[u]; i < first[u + 1]; ++i) {
        const double here = largest(i, rest[edges[i].to]);
        if (here < best) best = here, next = edges[i].to;
      }
      u = next;
    }
  }
};

/// The number of paths from the first node to the last step, rounded.
[[nodiscard]] inline double number_of_paths(const layered_graph& graph) {
  std::vector<double> ways(graph.nodes.size(), 0);
  for (std::size_t u = graph.nodes.size(); u-- > 0;) {
    if (graph.nodes[u].step == graph.nodes.back().step) ways[u] = 1;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) ways[u] += ways[graph.edges[i].to];
  }
  return ways.empty() ? 0 : ways[0];
}

/// Appends graphs whose first nodes are of step 1, and their last of step `steps`, to the only node of a graph.
inline void join_graphs(const std::vector<layered_graph>& parts, std::uint32_t steps, layered_graph& graph) {
  // Nodes by step, part by part within each step.
  std::vector<std::vector<std::uint32_t>> to(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) to[i].resize(parts[i].nodes.size());
  for (std::uint32_t step = 1; step <= steps; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::size_t u = 0; u < parts[i].nodes.size(); ++u) {
        if (parts[i].nodes[u].step != step) continue;
        to[i][u] = static_cast<std::uint32_t>(graph.nodes.size());
        graph.nodes.push_back(parts[i].nodes[u]);
      }
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) graph.edges.push_back({0, to[i][0], 0});
  for (std::uint32_t step = 1; step < steps; ++step) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const auto& edge : parts[i].edges) {
        if (parts[i].nodes[edge.from].step == step) {
          graph.edges.push_back({to[i][edge.from], to[i][edge.to], edge.bound});
        }
      }
    }
  }
  graph.index();
}

/// The stages that a step chooses, and where they begin and end.
///
/// `chain`: a step is a stage, a node its cut point, `cut[1]`. With two stages per rank a step is a rank. `loop`: rank
/// r has the stages r and p + r; its nodes are c[p] in `cut[0]`, chosen by a step of its own, c[r] and c[p + r]. `vee`:
/// rank r has the stages r and 2p - 1 - r, from both ends inward; its nodes are c[r] and c[2p - r].
class stage_layout {
 public:
  enum class shape : std::uint8_t { chain, loop, vee };

  explicit stage_layout(const schedule& order) : ranks(order.ranks()), stages(order.stages()) {
    if (stages != 2 * ranks) return;
    if (order.rank_of == v_placement(ranks)) kind = shape::vee;
    if (ranks > 1 && order.rank_of == loop_placement(ranks, 2)) kind = shape::loop;
  }

  std::size_t ranks;
  std::size_t stages;
  shape kind = shape::chain;

  [[nodiscard]] std::size_t steps() const noexcept {
    return kind == shape::chain ? stages : kind == shape::vee ? ranks : ranks + 1;
  }
  /// The number of stages that a step chooses.
  [[nodiscard]] std::size_t width(std::size_t step) const noexcept {
    return kind == shape::chain ? 1 : kind == shape::loop && step == 0 ? 0 : 2;
  }
  /// The stage `j` of a step.
  [[nodiscard]] std::size_t stage(std::size_t step, std::size_t j) const noexcept {
    if (kind == shape::chain) return step;
    if (kind == shape::vee) return j == 0 ? step : 2 * ranks - 1 - step;
    return step - 1 + j * ranks;
  }
  /// The items of that stage between two nodes.
  [[nodiscard]] interval part(std::size_t j, const layered_graph::node& u,
                              const layered_graph::node& v) const noexcept {
    if (kind == shape::vee && j == 1) return {v.cut[2], u.cut[2]};
    return {u.cut[1 + j], v.cut[1 + j]};
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
