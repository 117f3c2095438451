// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// More than any sum of ticks, or of seconds, and well within the exact range of doubles.
inline constexpr double no_ticks = 1e300;

/// Candidates as paths: a `Node` has a `step`, an `Edge` leads `from` a node `to` one of a later step, and no candidate
/// that uses it takes less than its `bound`. All functions take linear time and space in nodes and edges.
template <class Node, class Edge>
struct basic_layered_graph {
  using node = Node;
  using edge = Edge;

  std::vector<node> nodes{};           // by step; paths begin at the first step
  std::vector<edge> edges{};           // by `from`
  std::vector<std::uint32_t> first{};  // edges of node u: [first[u], first[u + 1])

  /// Rebuilds the edge ranges of the nodes, by counting; edges are sorted by `from`.
  void index() {
    first.assign(nodes.size() + 1, 0);
    for (const edge& each : edges) ++first[each.from + 1];
    for (std::size_t u = 0; u < nodes.size(); ++u) first[u + 1] += first[u];
  }

  /// Removes the edges with `gone(edge)`, which is called in order and only for reached edges, and those that are then
  /// on no path to a node of step `last`. Nodes stay, without edges. Returns whether a path is left.
  template <class Gone>
  bool prune(std::uint32_t last, const Gone& gone) {
    keep_paths(last, gone);
    index();
    return any_path();
  }

  /// The smallest, over paths, of the largest bound on the path.
  [[nodiscard]] double least_bound() const {
    return least_largest([](const edge& each) { return each.bound; });
  }

  /// The smallest, over paths, of the largest `of(edge)` on the path.
  template <class Of>
  [[nodiscard]] double least_largest(const Of& of) const {
    std::vector<double> rest;
    return least([&](std::size_t i, double behind) { return std::max(behind, of(edges[i])); }, rest);
  }

  /// The smallest cost of a path, 0 at the end; `no_ticks` if there is no path.
  ///
  /// @param with  `with(i, behind)`: the cost of edge i with the rest of a path, which costs `behind`
  /// @param rest  set to the smallest cost from every node
  template <class With>
  double least(const With& with, std::vector<double>& rest) const {
    rest.assign(nodes.size(), no_ticks);
    for (std::size_t u = nodes.size(); u-- > 0;) {
      double best = nodes[u].step == nodes.back().step ? 0 : no_ticks;
      for (std::uint32_t i = first[u]; i < first[u + 1]; ++i) {
        const double here = with(i, rest[edges[i].to]);
        best = std::min(best, here);
      }
      rest[u] = best;
    }
    double best = no_ticks;
    for (std::size_t u = 0; u < nodes.size() && nodes[u].step == nodes[0].step; ++u) best = std::min(best, rest[u]);
    return best;
  }

 protected:
  /// Like `prune`, but leaves `first` unchanged; marks each node 2: on a path; 1: reached; 0: neither.
  template <class Gone>
  void keep_paths(std::uint32_t last, const Gone& gone) {
    marks_.assign(nodes.size(), 0);
    for (std::size_t u = 0; u < nodes.size() && nodes[u].step == nodes[0].step; ++u) marks_[u] = 1;
    std::size_t kept = 0;
    for (const edge& each : edges) {
      if (marks_[each.from] == 0 || gone(each)) continue;
      marks_[each.to] = 1;
      edges[kept++] = each;
    }
    edges.resize(kept);
    for (std::size_t u = nodes.size(); u-- > 0;) {
      if (marks_[u] == 1 && nodes[u].step == last) marks_[u] = 2;
    }
    for (std::size_t i = edges.size(); i-- > 0;) {
      if (marks_[edges[i].to] == 2) marks_[edges[i].from] = 2;
    }
    kept = 0;
    for (const edge& each : edges) {
      if (marks_[each.to] == 2) edges[kept++] = each;
    }
    edges.resize(kept);
  }

  /// Whether a path is left, after `keep_paths`.
  [[nodiscard]] bool any_path() const {
    bool any = false;
    for (std::size_t u = 0; u < nodes.size() && nodes[u].step == nodes[0].step; ++u) any = any || marks_[u] == 2;
    return any;
  }

  /// Removes the nodes not marked 2, which have no edges, and indexes.
  void keep_marked() {
    number_.resize(nodes.size());
    std::size_t kept = 0;
    for (std::size_t u = 0; u < nodes.size(); ++u) {
      if (marks_[u] != 2) continue;
      number_[u] = static_cast<std::uint32_t>(kept);
      nodes[kept++] = nodes[u];
    }
    nodes.resize(kept);
    for (edge& each : edges) each.from = number_[each.from], each.to = number_[each.to];
    index();
  }

  std::vector<char> marks_{};

 private:
  std::vector<std::uint32_t> number_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
