// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The options of the plan whose busiest rank has the least work; empty if the graph has no path.
[[nodiscard]] inline std::vector<std::uint32_t> start_options(const option_graph& graph);

inline std::vector<std::uint32_t> start_options(const option_graph& graph) {
  const std::size_t ranks = graph.ranks.size();
  std::vector<std::vector<double>> load(ranks);
  std::vector<std::vector<std::uint32_t>> best(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const rank_options& rank = graph.ranks[r];
    load[r].assign(rank.size(), 0);
    for (std::size_t j = 0; j < rank.width(); ++j) {
      for (std::size_t o = 0; o < rank.size(); ++o) load[r][o] += rank.times(j)[o];
    }
    for (const option_graph::group& group : graph.steps[r].groups) {
      best[r].push_back(group.first);
      for (std::uint32_t o = group.first; o < group.last; ++o) {
        if (load[r][o] < load[r][best[r].back()]) best[r].back() = o;
      }
    }
  }
  // The largest work on the way from every node to the end; ties: the smallest sum.
  struct rest {
    double most = no_time;
    double sum = 0;
    std::uint32_t option = 0;
    std::uint32_t to = 0;
  };
  std::vector<std::vector<rest>> from(ranks + 1);
  from[ranks].push_back({0, 0, 0, 0});
  for (std::size_t r = ranks; r-- > 0;) {
    from[r].resize(graph.nodes[r]);
    for (const option_graph::edge& edge : graph.steps[r].edges) {
      const rest& behind = from[r + 1][edge.to];
      const std::uint32_t option = best[r][edge.group];
      const double own = load[r][option];
      const rest here{own < behind.most ? behind.most : own, own + behind.sum, option, edge.to};
      rest& known = from[r][edge.from];
      if (here.most < known.most || (here.most == known.most && here.sum < known.sum)) known = here;
    }
  }
  std::vector<std::uint32_t> options;
  if (from[0].empty() || from[0][0].most >= no_time) return options;
  std::uint32_t node = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    options.push_back(from[r][node].option);
    node = from[r][node].to;
  }
  return options;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
