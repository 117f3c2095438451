// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A choice of a rank before its options are sorted.
struct option_arc {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t key;  // of the classes along it
};

/// Drops nodes of a graph that are on no path, and renumbers the others.
/// @param nodes  of every boundary; all paths end at the one after the last rank
inline void keep_paths(option_graph& graph, const std::vector<std::uint32_t>& nodes);

/// Sorts the options of a graph by key, and turns arcs into edges with the group of options for their key.
/// @param keys  for every rank and class, in the order in which classes were added
inline void link_options(option_graph& graph, const std::vector<std::uint32_t>& nodes,
                         const std::vector<std::vector<option_arc>>& arcs,
                         const std::vector<std::vector<std::size_t>>& keys);

inline void keep_paths(option_graph& graph, const std::vector<std::uint32_t>& nodes) {
  const std::size_t ranks = graph.ranks.size();
  std::vector<std::vector<char>> ends(ranks + 1);
  for (std::size_t r = 0; r <= ranks; ++r) ends[r].assign(nodes[r], r == ranks ? 1 : 0);
  for (std::size_t r = ranks; r-- > 0;) {
    for (const option_graph::edge& edge : graph.steps[r].edges) {
      if (ends[r + 1][edge.to] != 0) ends[r][edge.from] = 1;
    }
  }
  graph.nodes.assign(ranks + 1, 0);
  std::vector<std::vector<std::uint32_t>> number(ranks + 1);
  for (std::size_t r = 0; r <= ranks; ++r) {
    for (const char each : ends[r]) {
      number[r].push_back(graph.nodes[r]);
      graph.nodes[r] += each != 0 ? 1 : 0;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<option_graph::edge>& edges = graph.steps[r].edges;
    std::size_t kept = 0;
    for (const option_graph::edge& edge : edges) {
      if (ends[r + 1][edge.to] == 0) continue;
      edges[kept++] = {number[r][edge.from], number[r + 1][edge.to], edge.group};
    }
    edges.resize(kept);
  }
}

inline void link_options(option_graph& graph, const std::vector<std::uint32_t>& nodes,
                         const std::vector<std::vector<option_arc>>& arcs,
                         const std::vector<std::vector<std::size_t>>& keys) {
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    const std::vector<std::size_t> sorted = graph.ranks[r].finish(keys[r]);
    std::map<std::size_t, std::uint32_t> group_of;
    option_graph::step& step = graph.steps[r];
    for (std::size_t c = 0; c < sorted.size(); ++c) {
      const rank_options::contents& here = graph.ranks[r].classes()[c];
      const auto [place, is_new] = group_of.emplace(sorted[c], static_cast<std::uint32_t>(step.groups.size()));
      if (is_new) step.groups.push_back({here.first, here.last});
      step.groups[place->second].last = here.last;
    }
    for (const option_arc& arc : arcs[r]) step.edges.push_back({arc.from, arc.to, group_of.at(arc.key)});
  }
  keep_paths(graph, nodes);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
