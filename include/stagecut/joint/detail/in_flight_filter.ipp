// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/in_flight_filter.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t in_flight_filter::drop_above(double most, option_paths::live_options& live) {
  std::size_t all = 0;
  for (;;) {
    const std::size_t here = drop_once(most, live);
    all += here;
    if (here == 0) return all;
  }
}

STAGECUT_DECL void in_flight_filter::set_shortest(std::size_t r, const std::vector<char>& live) {
  const rank_options& rank = graph_.ranks[r];
  const double* const forward = rank.times(engine::tick_f);
  const double* const backward = rank.times(engine::tick_b);
  shortest_.clear();
  for (const option_graph::group& each : graph_.steps[r].groups) {
    shortest here{no_time, no_time, no_time};
    for (std::uint32_t o = each.first; o < each.last; ++o) {
      if (live[o] == 0) continue;
      lower(here.forward, forward[o]);
      lower(here.backward, backward[o]);
      lower(here.both, forward[o] + backward[o]);
    }
    shortest_.push_back(here);
  }
}

STAGECUT_DECL std::size_t in_flight_filter::drop_once(double most, option_paths::live_options& live) {
  const std::size_t ranks = graph_.ranks.size();
  std::vector<std::vector<node>> nodes;
  for (const std::uint32_t each : graph_.nodes) nodes.emplace_back(each);
  nodes[0][0].enter = nodes[0][0].leave = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    set_shortest(r, live[r]);
    const double message = problem_.messages[r];
    for (const option_graph::edge& each : graph_.steps[r].edges) {
      const shortest& own = shortest_[each.group];
      lower(nodes[r + 1][each.to].enter, nodes[r][each.from].enter + own.forward + message);
      lower(nodes[r + 1][each.to].leave, nodes[r][each.from].leave + own.backward + message);
    }
  }
  nodes[ranks][0].trip = 0;
  std::size_t dropped = 0;
  for (std::size_t r = ranks; r-- > 0;) {
    dropped += drop_of(r, most, nodes, live[r]);
    set_shortest(r, live[r]);
    const double message = r == 0 ? 0 : problem_.messages[r - 1];
    for (const option_graph::edge& each : graph_.steps[r].edges) {
      lower(nodes[r][each.from].trip, nodes[r + 1][each.to].trip + shortest_[each.group].both + 2 * message);
    }
  }
  return dropped;
}

STAGECUT_DECL std::size_t in_flight_filter::drop_of(std::size_t r, double most,
                                                    const std::vector<std::vector<node>>& nodes,
                                                    std::vector<char>& live) {
  const rank_options& rank = graph_.ranks[r];
  const option_graph::step& step = graph_.steps[r];
  least_.assign(rank.size(), no_time);
  for (const option_graph::edge& each : step.edges) {
    const node& before = nodes[r][each.from];
    const double trip = nodes[r + 1][each.to].trip;
    if (before.enter >= no_time || trip >= no_time) continue;
    const option_graph::group& group = step.groups[each.group];
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

STAGECUT_DECL double in_flight_filter::steady(std::size_t in_flight, double f, double b, double trip) const {
  const auto m = static_cast<double>(problem_.order->microbatches);
  const auto n = static_cast<double>(in_flight);
  if (n >= m) return larger(m * (f + b), trip + larger(f + m * b, m * f + b));
  return f + larger((n - 1) * f, trip) + (m - n) * (f + b) + larger((n - 1) * b, trip) + b;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
