// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/engine/keep_paths.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// More than any sum of ticks, and far from where doubles are rounded.
inline constexpr double no_ticks = 1e300;

/// Cuts as paths: a node is what the rest needs to know of the cut points chosen so far, an edge chooses the stages of a
/// step.
struct layered_graph {
  struct node {
    std::uint32_t step;
    std::uint32_t cut[3];  // see `stage_layout`
  };
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
    double bound;  // no cut through it has less
  };

  std::vector<node> nodes{};           // by step; the first, alone of its step, is where all paths begin
  std::vector<edge> edges{};           // by `from`
  std::vector<std::uint32_t> first{};  // edges of node u: [first[u], first[u + 1])

  /// Finds the edges of each node again, by counting; edges are sorted by `from`.
  void index() {
    first.assign(nodes.size() + 1, 0);
    for (const edge& each : edges) ++first[each.from + 1];
    for (std::size_t u = 0; u < nodes.size(); ++u) first[u + 1] += first[u];
  }

  /// Removes the edges for which `gone(edge)`, and those that then lie on no path from the first node to a node of step
  /// `last`. Nodes stay, without edges. Returns whether a path is left.
  template <class Gone>
  bool prune(std::uint32_t last, const Gone& gone) {
    engine::keep_paths(nodes, edges, alive_, last, gone);
    index();
    return alive_[0] == 2;
  }

  /// Removes the nodes that no edge touches, but for the first.
  void compact() {
    std::vector<std::uint32_t> to(nodes.size(), 0);
    std::vector<char> used(nodes.size(), 0);
    used[0] = 1;
    for (const edge& each : edges) used[each.from] = used[each.to] = 1;
    std::size_t kept = 0;
    for (std::size_t u = 0; u < nodes.size(); ++u) {
      if (used[u] == 0) continue;
      to[u] = static_cast<std::uint32_t>(kept);
      nodes[kept++] = nodes[u];
    }
    nodes.resize(kept);
    for (edge& each : edges) each.from = to[each.from], each.to = to[each.to];
    index();
  }

  /// The path whose largest bound is least, as its nodes; none if there is no path.
  [[nodiscard]] std::vector<std::uint32_t> least_path() const {
    const std::vector<double> rest = least_rest([](const edge& each) { return each.bound; });
    std::vector<std::uint32_t> path;
    if (nodes.empty() || rest[0] >= no_ticks) return path;
    for (std::uint32_t u = 0;;) {
      path.push_back(u);
      if (first[u] == first[u + 1]) return path;
      std::uint32_t next = edges[first[u]].to;
      double least = no_ticks;
      for (std::uint32_t i = first[u]; i < first[u + 1]; ++i) {
        const double here = rest[edges[i].to] < edges[i].bound ? edges[i].bound : rest[edges[i].to];
        if (here < least) least = here, next = edges[i].to;
      }
      u = next;
    }
  }

  /// The least, over paths, of the largest bound on it.
  [[nodiscard]] double least_bound() const {
    return least_largest([](const edge& each) { return each.bound; });
  }

  /// The least, over paths, of the largest `of(edge)` on it.
  template <class Of>
  [[nodiscard]] double least_largest(const Of& of) const {
    return nodes.empty() ? no_ticks : least_rest(of)[0];
  }

 private:
  /// From every node to the end.
  template <class Of>
  [[nodiscard]] std::vector<double> least_rest(const Of& of) const {
    std::vector<double> rest(nodes.size(), no_ticks);
    for (std::size_t u = nodes.size(); u-- > 0;) {
      if (nodes[u].step == nodes.back().step) rest[u] = 0;
      for (std::uint32_t i = first[u]; i < first[u + 1]; ++i) {
        const double own = of(edges[i]);
        const double here = rest[edges[i].to] < own ? own : rest[edges[i].to];
        rest[u] = std::min(rest[u], here);
      }
    }
    return rest;
  }

  std::vector<char> alive_{};
};

/// Which stages a step chooses, and where they begin and end.
///
/// `chain`: a step is a stage, a node its cut point, `cut[1]`. With two stages a rank a step is a rank: `loop` has rank
/// r with the stages r and p + r, and nodes of c[p] in `cut[0]`, chosen by a step of its own, c[r] and c[p + r]; `vee` has
/// rank r with the stages r and 2p - 1 - r, from both ends inward, and nodes of c[r] and c[2p - r].
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
  /// How many stages a step chooses.
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
