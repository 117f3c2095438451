// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/in_flight_bound.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Drops options by what a rank of 1F1B, or of one of its relatives, has to wait for: what the ranks before it and behind
/// it take at least for the layers that they have. Proof: docs/recomputation.md, "Bounds", 1F1B.
class in_flight_filter {
 public:
  explicit in_flight_filter(const recompute_problem& problem)
      : problem_(problem), graph_(*problem.graph), in_flight_(engine::in_flight_of(*problem.order)) {}

  /// Whether the order is of that family.
  [[nodiscard]] bool applies() const noexcept { return in_flight_.has_value(); }

  /// Drops live options that no plan of makespan `most` or less has. Returns how many; all of a rank: there is no such plan.
  std::size_t drop_above(double most, option_paths::live_options& live);

 private:
  struct node {
    double enter = no_time;  // forward through the ranks before
    double leave = no_time;  // backward through them
    double trip = no_time;   // down through the ranks behind, and back up
  };
  struct shortest {
    double forward, backward, both;
  };

  static void lower(double& value, double other) { value = std::min(value, other); }
  static double larger(double a, double b) { return a < b ? b : a; }

  /// The shortest passes of the live options of every group.
  void set_shortest(std::size_t r, const std::vector<char>& live);

  std::size_t drop_once(double most, option_paths::live_options& live);

  std::size_t drop_of(std::size_t r, double most, const std::vector<std::vector<node>>& nodes, std::vector<char>& live);

  /// From the first pass of a rank to the last, with so many microbatches in flight.
  [[nodiscard]] double steady(std::size_t in_flight, double f, double b, double trip) const;

  const recompute_problem& problem_;
  const option_graph& graph_;
  std::optional<std::vector<std::size_t>> in_flight_;
  std::vector<shortest> shortest_{};
  std::vector<double> least_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/in_flight_filter.ipp>
#endif
