// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/in_flight_bound.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Drops options by the waiting of a rank of 1F1B, or of a related schedule: lower bounds of the time that the ranks
/// before and after it take for their layers. Proof: docs/recomputation.md, "Bounds", 1F1B.
class in_flight_filter {
 public:
  explicit in_flight_filter(const recompute_problem& problem)
      : problem_(problem), graph_(*problem.graph), in_flight_(engine::in_flight_of(*problem.order)) {}

  /// Whether the schedule is of that family.
  [[nodiscard]] bool applies() const noexcept { return in_flight_.has_value(); }

  /// Drops live options that no plan with makespan `most` or less has. Returns their number; all of a rank: there is no
  /// such plan.
  std::size_t drop_above(double most, option_paths::live_options& live);

 private:
  struct node {
    double enter = no_time;  // forward through the ranks before
    double leave = no_time;  // backward through them
    double trip = no_time;   // down through the ranks after it, and back up
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

  /// From the first pass of a rank to the last, with `in_flight` microbatches in flight.
  [[nodiscard]] double steady(std::size_t in_flight, double f, double b, double trip) const;

  const recompute_problem& problem_;
  const option_graph& graph_;
  std::optional<std::vector<std::size_t>> in_flight_;
  std::vector<shortest> shortest_{};
  std::vector<double> least_{};
};

inline std::size_t in_flight_filter::drop_above(double most, option_paths::live_options& live) {
  std::size_t all = 0;
  for (;;) {
    const std::size_t here = drop_once(most, live);
    all += here;
    if (here == 0) return all;
  }
}

inline void in_flight_filter::set_shortest(std::size_t r, const std::vector<char>& live) {
  const rank_options& rank = graph_.ranks[r];
  const double* const forward = rank.times(engine::tick_f);
  const double* const backward = rank.times(engine::tick_b);
  shortest_.clear();
  for (const option_graph::group& group : graph_.steps[r].groups) {
    shortest here{no_time, no_time, no_time};
    for (std::uint32_t o = group.first; o < group.last; ++o) {
      if (live[o] == 0) continue;
      lower(here.forward, forward[o]);
      lower(here.backward, backward[o]);
      lower(here.both, forward[o] + backward[o]);
    }
    shortest_.push_back(here);
  }
}

inline std::size_t in_flight_filter::drop_once(double most, option_paths::live_options& live) {
  const std::size_t ranks = graph_.ranks.size();
  std::vector<std::vector<node>> nodes;
  for (const std::uint32_t each : graph_.nodes) nodes.emplace_back(each);
  nodes[0][0].enter = nodes[0][0].leave = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    set_shortest(r, live[r]);
    const double message = problem_.messages[r];
    for (const option_graph::edge& edge : graph_.steps[r].edges) {
      const shortest& own = shortest_[edge.group];
      lower(nodes[r + 1][edge.to].enter, nodes[r][edge.from].enter + own.forward + message);
      lower(nodes[r + 1][edge.to].leave, nodes[r][edge.from].leave + own.backward + message);
    }
  }
  nodes[ranks][0].trip = 0;
  std::size_t dropped = 0;
  for (std::size_t r = ranks; r-- > 0;) {
    dropped += drop_of(r, most, nodes, live[r]);
    set_shortest(r, live[r]);
    const double message = r == 0 ? 0 : problem_.messages[r - 1];
    for (const option_graph::edge& edge : graph_.steps[r].edges) {
      lower(nodes[r][edge.from].trip, nodes[r + 1][edge.to].trip + shortest_[edge.group].both + 2 * message);
    }
  }
  return dropped;
}

inline std::size_t in_flight_filter::drop_of(std::size_t r, double most, const std::vector<std::vector<node>>& nodes,
                                             std::vector<char>& live) {
  const rank_options& rank = graph_.ranks[r];
  const option_graph::step& step = graph_.steps[r];
  least_.assign(rank.size(), no_time);
  for (const option_graph::edge& edge : step.edges) {
    const node& before = nodes[r][edge.from];
    const double trip = nodes[r + 1][edge.to].trip;
    if (before.enter >= no_time || trip >= no_time) continue;
    const option_graph::group& group = step.groups[edge.group];
    for (std::uint32_t o = group.first; o < group.last; ++o) {
      if (live[o] == 0) continue;
      const double busy = steady((*in_flight_)[r], rank.times(engine::tick_f)[o], rank.times(engine::tick_b)[o], trip);
      lower(least_[o], before.enter + busy + before.leave);
    }
  }
  std::size_t dropped = 0;
  for (std::size_t o = 0; o < rank.size(); ++o) {
    if (live[o] == 0 || least_[o] <= most) continue;
    live[o] = 0;
    ++dropped;
  }
  return dropped;
}

inline double in_flight_filter::steady(std::size_t in_flight, double f, double b, double trip) const {
  const auto m = static_cast<double>(problem_.order->microbatches);
  const auto n = static_cast<double>(in_flight);
  if (n >= m) return larger(m * (f + b), trip + larger(f + m * b, m * f + b));
  return f + larger((n - 1) * f, trip) + (m - n) * (f + b) + larger((n - 1) * b, trip) + b;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
