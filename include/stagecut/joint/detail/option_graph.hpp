// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// More than any sum of whole units.
inline constexpr double no_time = 1e300;

/// Plans as paths: the steps are the ranks, an edge chooses an option of a rank, and a node is what the ranks behind need
/// to know of the choices before: the layers that are left, or cut points.
struct option_graph {
  /// Options of a rank that lead from the same nodes to the same nodes.
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

/// Which options are still in the game, and paths through them for given weights of durations.
///
/// A weight of every stage and kind, `weights[stage * tick_kinds + kind]`, makes the length of a critical path a sum over
/// options, so that the least one over all plans is found by dynamic programming: O(options + edges).
class option_paths {
 public:
  explicit option_paths(const option_graph& graph);

  using live_options = std::vector<std::vector<char>>;

  /// All of them.
  [[nodiscard]] static live_options all_live(const option_graph& graph);

  /// What every live option adds to a path with these weights; `no_time` for the others.
  void price(const live_options& live, const std::vector<double>& weights);

  /// The least sum over a path, of the last prices; at least `no_time` if there is no path.
  double least();

  /// The options of a least path. @pre `least` found one
  void path(std::vector<std::uint32_t>& options) const;

  /// Takes out of the game what lies on no path of at most `most`, of the last prices, which `least` has looked at. Returns
  /// how many options that were.
  std::size_t drop_above(double most, live_options& live);

  /// Of the last prices.
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

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_graph.ipp>
#endif
