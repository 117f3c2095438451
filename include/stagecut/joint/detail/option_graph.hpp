// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// More than any sum in integer units.
inline constexpr double no_time = 1e300;

/// Plans as paths: the steps are the ranks, an edge chooses an option of a rank, and a node is what the later ranks
/// need to know about the earlier choices: the remaining layers, or cut points.
struct option_graph {
  /// Options of a rank with the same edges.
  struct group {
    std::uint32_t first;  // options
    std::uint32_t last;
  };
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t group;  // of the step
  };
  struct step {
    std::vector<group> groups{};
    std::vector<edge> edges{};
  };

  std::vector<rank_options> ranks{};
  std::vector<step> steps{};
  std::vector<std::uint32_t> nodes{};  // of every boundary: 0 before the first rank, one at the end

  [[nodiscard]] std::size_t options() const noexcept;
};

/// The live options, and shortest paths through them for given weights of durations.
///
/// With a weight for every stage and kind, `weights[stage * tick_kinds + kind]`, the length of a critical path is a sum
/// over options, so that dynamic programming finds the smallest one over all plans: O(options + edges).
class option_paths {
 public:
  explicit option_paths(const option_graph& graph);

  using live_options = std::vector<std::vector<char>>;

  /// Marks all options as live.
  [[nodiscard]] static live_options all_live(const option_graph& graph);

  /// Prices every live option by these weights; `no_time` for the others.
  void price(const live_options& live, const std::vector<double>& weights);

  /// The smallest sum over a path at the last prices; at least `no_time` if there is no path.
  double least();

  /// Returns the options of a shortest path. @pre `least` found one
  void path(std::vector<std::uint32_t>& options) const;

  /// Drops the options that are on no path of length `most` or less, at the last prices, after `least`. Returns their
  /// number.
  std::size_t drop_above(double most, live_options& live);

  /// The last prices.
  [[nodiscard]] const std::vector<double>& costs(std::size_t rank) const noexcept { return cost_[rank]; }

 private:
  const option_graph* graph_;
  std::vector<std::vector<double>> cost_{};   // [rank][option]
  std::vector<std::vector<double>> least_{};  // [rank][group]
  std::vector<std::vector<std::uint32_t>> best_{};
  std::vector<std::vector<double>> through_{};  // [rank][group]: the rest of a path
  std::vector<std::vector<double>> before_{};   // [boundary][node]
  std::vector<std::vector<double>> behind_{};
};

inline std::size_t option_graph::options() const noexcept {
  std::size_t sum = 0;
  for (const rank_options& rank : ranks) sum += rank.size();
  return sum;
}

inline option_paths::option_paths(const option_graph& graph) : graph_(&graph) {
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    cost_.emplace_back(graph.ranks[r].size());
    least_.emplace_back(graph.steps[r].groups.size());
    best_.emplace_back(graph.steps[r].groups.size());
    through_.emplace_back(graph.steps[r].groups.size());
  }
  for (const std::uint32_t node : graph.nodes) before_.emplace_back(node), behind_.emplace_back(node);
}

inline auto option_paths::all_live(const option_graph& graph) -> live_options {
  live_options live;
  for (const rank_options& rank : graph.ranks) live.emplace_back(rank.size(), 1);
  return live;
}

inline void option_paths::price(const live_options& live, const std::vector<double>& weights) {
  for (std::size_t r = 0; r < graph_->ranks.size(); ++r) {
    const rank_options& rank = graph_->ranks[r];
    std::vector<double>& cost = cost_[r];
    const std::size_t count = rank.size();
    for (std::size_t o = 0; o < count; ++o) cost[o] = live[r][o] != 0 ? 0 : no_time;
    for (std::size_t j = 0; j < rank.width(); ++j) {
      const double weight = weights[rank.stage(j / rank.kinds()) * engine::tick_kinds + j % rank.kinds()];
      if (weight == 0) continue;
      const double* __restrict times = rank.times(j);
      double* __restrict to = cost.data();
      for (std::size_t o = 0; o < count; ++o) to[o] += weight * times[o];
    }
    for (std::size_t g = 0; g < graph_->steps[r].groups.size(); ++g) {
      const option_graph::group& group = graph_->steps[r].groups[g];
      double least = no_time;
      std::uint32_t best = group.first;
      for (std::uint32_t o = group.first; o < group.last; ++o) {
        if (cost[o] < least) least = cost[o], best = o;
      }
      least_[r][g] = least;
      best_[r][g] = best;
    }
  }
}

inline double option_paths::least() {
  for (auto& each : before_) each.assign(each.size(), no_time);
  before_[0][0] = 0;
  for (std::size_t r = 0; r < graph_->steps.size(); ++r) {
    const std::vector<double>& from = before_[r];
    std::vector<double>& to = before_[r + 1];
    for (const option_graph::edge& edge : graph_->steps[r].edges) {
      const double here = from[edge.from] + least_[r][edge.group];
      to[edge.to] = std::min(to[edge.to], here);
    }
  }
  return before_.back()[0];
}

inline void option_paths::path(std::vector<std::uint32_t>& options) const {
  options.resize(graph_->steps.size());
  std::uint32_t node = 0;
  for (std::size_t r = graph_->steps.size(); r-- > 0;) {
    for (const option_graph::edge& edge : graph_->steps[r].edges) {
      if (edge.to != node || before_[r][edge.from] + least_[r][edge.group] != before_[r + 1][node]) continue;
      options[r] = best_[r][edge.group];
      node = edge.from;
      break;
    }
  }
}

inline std::size_t option_paths::drop_above(double most, live_options& live) {
  for (auto& each : behind_) each.assign(each.size(), no_time);
  behind_.back()[0] = 0;
  std::size_t dropped = 0;
  for (std::size_t r = graph_->steps.size(); r-- > 0;) {
    const option_graph::step& step = graph_->steps[r];
    std::vector<double>& through = through_[r];
    through.assign(through.size(), no_time);
    for (const option_graph::edge& edge : step.edges) {
      const double rest = behind_[r + 1][edge.to];
      const double here = least_[r][edge.group] + rest;
      double& from = behind_[r][edge.from];
      from = std::min(from, here);
      const double beside = before_[r][edge.from] + rest;
      double& over = through[edge.group];
      over = std::min(over, beside);
    }
    for (std::size_t g = 0; g < step.groups.size(); ++g) {
      for (std::uint32_t o = step.groups[g].first; o < step.groups[g].last; ++o) {
        if (live[r][o] == 0 || through[g] + cost_[r][o] <= most) continue;
        live[r][o] = 0;
        ++dropped;
      }
    }
  }
  return dropped;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
