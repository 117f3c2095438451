// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/in_flight_bound.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_builder.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bounds of the edges of a graph of pipelines with replicas under 1F1B: no plan that uses an edge finishes before
/// its bound. As for stages without replicas, with the gradient exchange: docs/hybrid.md, "Bounds".
class hybrid_bounds {
 public:
  hybrid_bounds(const hybrid_options& options, const hybrid_limits& rules) : options_(options), rules_(rules) {}

  /// Sets the bounds from the current graph, and removes the edges that no plan that ends by `most` uses, repeatedly.
  /// Returns whether a plan is left; true if the clock stopped it before.
  bool refine(hybrid_graph& graph, double most, engine::search_clock& clock);

 private:
  using edge = hybrid_graph::edge;

  static void lower(double& value, double other) { value = std::min(value, other); }
  static double larger(double a, double b) { return a < b ? b : a; }

  void begin(std::size_t stages);

  void set(hybrid_graph& graph);

  /// Computes lower bounds of the time before a node, over the plans of the graph.
  void fill_before(const hybrid_graph& graph);

  /// Computes lower bounds of the time after a node: `down_` is a round trip, `fill_` goes from the end of the first F
  /// of the stage before to the start of its first B, `drain_` the same for the last ones.
  void fill_behind(const hybrid_graph& graph);

  /// The bound of one edge, as stage k, given the round `trips` of its windows. After its last backward pass a path
  /// goes all the way up, or ends with a gradient exchange, here or above: then it has not waited for backward passes
  /// above.
  [[nodiscard]] double bound(const hybrid_graph& graph, const std::vector<double>& trips, std::size_t k,
                             const edge& each) const;

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::vector<std::size_t> in_flight_{};
  std::vector<std::vector<engine::steady_window>> windows_{};
  std::vector<double> up_{};  // [u * stages + r]: round trip through the stages r .. to here, messages included
  std::vector<double> enter_{};
  std::vector<double> leave_{};
  std::vector<double> forward_{};
  std::vector<double> backward_{};
  std::vector<double> down_{};
  std::vector<double> fill_{};
  std::vector<double> drain_{};
};

inline bool hybrid_bounds::refine(hybrid_graph& graph, double most, engine::search_clock& clock) {
  if (graph.edges.empty()) return false;
  begin(graph.steps);
  for (int round = 0; round < 8; ++round) {
    const std::size_t before = graph.edges.size();
    set(graph);
    clock.work(before / 8);
    if (!graph.prune([most](const auto& each) { return each.bound > most; })) return false;
    if (graph.edges.size() == before || clock.look()) return true;
    if (graph.edges.size() * 20 > before * 19) return true;
  }
  return true;
}

inline void hybrid_bounds::begin(std::size_t stages) {
  if (in_flight_.size() == stages) return;
  in_flight_ = microbatches_in_flight(schedule_kind::one_forward_one_backward, stages, rules_.microbatches);
  windows_.clear();
  for (std::size_t s = 0; s < stages; ++s) {
    windows_.push_back(engine::steady_windows(in_flight_, rules_.microbatches, s));
  }
}

inline void hybrid_bounds::set(hybrid_graph& graph) {
  fill_before(graph);
  fill_behind(graph);
  std::vector<double> trips;
  for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
    const std::size_t k = graph.nodes[u].step;
    if (k == graph.steps) continue;
    trips.clear();
    for (const engine::steady_window& window : windows_[k]) {
      double sum = 0;
      for (const auto& [r, times] : window.trips) sum += static_cast<double>(times) * up_[u * graph.steps + r];
      trips.push_back(sum);
    }
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      graph.edges[i].bound = bound(graph, trips, k, graph.edges[i]) * (1 - 0x1p-40);  // sums were rounded
    }
  }
}

inline void hybrid_bounds::fill_before(const hybrid_graph& graph) {
  const std::size_t nodes = graph.nodes.size();
  const std::size_t rows = graph.steps;
  up_.assign(nodes * rows, beyond_time);
  for (auto* each : {&enter_, &leave_, &forward_, &backward_}) each->assign(nodes, beyond_time);
  for (std::size_t u = 0; u < nodes; ++u) {
    double* const from = up_.data() + u * rows;
    const std::size_t k = graph.nodes[u].step;
    if (k == 0) from[0] = enter_[u] = leave_[u] = forward_[u] = backward_[u] = 0;
    if (k < rows) from[k] = 0;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const stage_option& o = options_[graph.edges[i].option];
      const std::size_t v = graph.edges[i].to;
      const double message = k == 0 ? 0 : o.message;
      double* const to = up_.data() + v * rows;
      const double pair = o.forward + o.backward;
      for (std::size_t r = 0; r <= k && r < rows; ++r) lower(to[r], from[r] + (r < k ? 2 * message : 0) + pair);
      lower(enter_[v], enter_[u] + message + o.forward);
      lower(leave_[v], o.backward + larger(o.all_reduce, k == 0 ? 0 : message + leave_[u]));
      lower(forward_[v], larger(forward_[u], larger(o.forward, message)));
      lower(backward_[v], larger(backward_[u], larger(o.backward, message)));
    }
  }
}

inline void hybrid_bounds::fill_behind(const hybrid_graph& graph) {
  const std::size_t nodes = graph.nodes.size();
  for (auto* each : {&down_, &fill_, &drain_}) each->assign(nodes, beyond_time);
  for (std::size_t u = nodes; u-- > 0;) {
    const std::size_t k = graph.nodes[u].step;
    if (k == graph.steps) {
      down_[u] = fill_[u] = drain_[u] = 0;
      continue;
    }
    const auto others = static_cast<double>(in_flight_[k] - 1);
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const stage_option& o = options_[graph.edges[i].option];
      const std::size_t v = graph.edges[i].to;
      const double message = k == 0 ? 0 : o.message;
      const double trip = 2 * message + o.forward;
      lower(down_[u], trip + o.backward + down_[v]);
      lower(fill_[u], trip + o.backward + larger(others * larger(o.forward, message), fill_[v]));
      lower(drain_[u], trip + larger(o.backward + others * larger(o.backward, message), drain_[v] + o.backward));
    }
  }
}

inline double hybrid_bounds::bound(const hybrid_graph& graph, const std::vector<double>& trips, std::size_t k,
                                   const edge& each) const {
  const stage_option& o = options_[each.option];
  const std::size_t u = each.from;
  const double message = k == 0 ? 0 : o.message;
  const double trip = up_[u * graph.steps] + 2 * message;
  const double apart = enter_[u] + message + larger(o.all_reduce, k == 0 ? 0 : message + leave_[u]);
  const double others = static_cast<double>(in_flight_[k] - 1);
  const double cool = others * o.backward;
  const double any_cool = others * larger(o.backward, backward_[u]);
  const double warm = o.forward + others * larger(o.forward, forward_[u]);
  const double ready = larger(warm, o.forward + fill_[each.to]);  // for the first backward pass
  const double drain = drain_[each.to];
  if (in_flight_[k] >= rules_.microbatches) {
    const double last = warm + drain + o.backward;
    return larger(trip + larger(ready + o.backward + any_cool, last), apart + larger(ready + o.backward + cool, last));
  }
  double steady = 0;
  for (std::size_t w = 0; w < trips.size(); ++w) {
    const engine::steady_window& window = windows_[k][w];
    const double here = trips[w] + static_cast<double>(window.pairs) * (o.forward + o.backward) +
                        static_cast<double>(window.below) * down_[each.to];
    steady = larger(steady, here);
  }
  return ready + steady + o.backward + larger(trip + larger(any_cool, drain), apart + larger(cool, drain));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
