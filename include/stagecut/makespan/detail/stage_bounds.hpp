// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/in_flight_bound.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/rank_relaxation.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bounds of the edges of a `stage_graph`: every cut of the graph through an edge has at least its bound as
/// makespan. Proofs: docs/makespan.md, Bounds.
class stage_bounds {
 public:
  stage_bounds(const engine::chain_ticks& chain, const schedule& order, transfer_kind transfers)
      : chain_(chain),
        order_(order),
        microbatches_(order.microbatches),
        serial_(chain.has_messages && transfers != transfer_kind::latency),
        in_flight_(engine::in_flight_of(order)) {
    for (std::size_t k = 0; k < order.stages() && in_flight_; ++k) {
      windows_.push_back(engine::steady_windows(*in_flight_, microbatches_, k));
    }
    for (std::size_t s = 0; s < order.stages() && !in_flight_; ++s) {
      relaxed_.emplace_back(order, order.rank_of[s], s);
    }
    // Every microbatch that leaves the first stage upward is followed by a W.
    const std::size_t first = order.rank_of.empty() ? 0 : order.rank_of[0];
    for (const auto& op : order.orders[first]) {
      if (op.stage == 0 && op.kind == op_kind::backward) ends_with_weight_ = false;
    }
  }

  /// The microbatches in flight if the schedule is of that family.
  [[nodiscard]] const std::optional<std::vector<std::size_t>>& in_flight() const noexcept { return in_flight_; }

  /// Sets the bounds from the rest of the graph. Leaves some unchanged if time runs out.
  void set(engine::layered_graph& graph, engine::search_clock& clock) const {
    tables t;
    // Round trips from every stage, unless they take too much memory: then from the first stage only.
    t.rows = in_flight_ && graph.nodes.size() <= most_trips / chain_.stages ? chain_.stages : 1;
    if (!fill_before(graph, t, clock) || clock.look()) return;
    fill_behind(graph, t);
    if (clock.look()) return;
    if (in_flight_) {
      set_in_flight_bounds(graph, t, clock);
    } else {
      set_relaxed_bounds(graph, t, clock);
    }
  }

 private:
  using edge = engine::layered_graph::edge;

  static constexpr std::size_t most_trips = std::size_t{1} << 25U;  // a quarter of a gigabyte

  /// Lower bounds on the parts before and after a node, over the cuts of the graph.
  struct tables {
    std::size_t rows = 1;
    std::vector<double> up{};        // [u * rows + r]: round trip through the stages r .. to here, with messages
    std::vector<double> enter{};     // forward through the previous stages
    std::vector<double> forward{};   // the slowest forward pass, or message if they are serial, of the previous stages
    std::vector<double> backward{};  // the same for backward
    std::vector<double> down{};      // round trip through the later stages, with messages
    std::vector<double> fill{};      // from the end of a stage's first F to the start of its first B
    std::vector<double> drain{};     // the same for the last
  };

  static void lower(double& value, double other) { value = std::min(value, other); }
  static double larger(double a, double b) { return a < b ? b : a; }

  struct duration {
    double f, b, w, message;
  };
  [[nodiscard]] duration of(const engine::layered_graph& graph, const edge& each) const {
    const auto& u = graph.nodes[each.from];
    const std::size_t s = u.step;
    const std::size_t first = u.cut[1];
    const std::size_t last = graph.nodes[each.to].cut[1];
    return {chain_.pass(engine::tick_f, s, first, last), chain_.pass(engine::tick_b, s, first, last),
            chain_.pass(engine::tick_w, s, first, last), chain_.message(s, last)};
  }

  /// `enter`, `up`, f and b: docs/makespan.md, Bounds.
  bool fill_before(const engine::layered_graph& graph, tables& t, engine::search_clock& clock) const {
    const std::size_t nodes = graph.nodes.size();
    t.up.assign(nodes * t.rows, engine::no_ticks);
    for (auto* each : {&t.enter, &t.forward, &t.backward}) each->assign(nodes, engine::no_ticks);
    t.enter[0] = t.forward[0] = t.backward[0] = 0;
    for (std::size_t u = 0; u < nodes; ++u) {
      if (u % 64 == 0 && clock.look()) return false;
      double* const from = t.up.data() + u * t.rows;
      const std::size_t k = graph.nodes[u].step;
      if (k < t.rows) from[k] = 0;
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        const std::size_t v = graph.edges[i].to;
        const duration d = of(graph, graph.edges[i]);
        const double trip = d.f + d.b + 2 * d.message;
        double* const to = t.up.data() + v * t.rows;
        // W of the first stage follows the last gradient that leaves the second.
        lower(to[0], from[0] + trip + (k == 0 && ends_with_weight_ ? d.w : 0));
        for (std::size_t r = 1; r <= k && r < t.rows; ++r) lower(to[r], from[r] + trip);
        const double message = serial_ ? d.message : 0;
        lower(t.enter[v], t.enter[u] + d.f + d.message);
        lower(t.forward[v], larger(t.forward[u], larger(d.f, message)));
        lower(t.backward[v], larger(t.backward[u], larger(d.b, message)));
      }
    }
    return true;
  }

  /// `down`, `fill` and `drain`: docs/makespan.md, Bounds, 1F1B and its relatives.
  void fill_behind(const engine::layered_graph& graph, tables& t) const {
    const std::size_t nodes = graph.nodes.size();
    for (auto* each : {&t.down, &t.fill, &t.drain}) each->assign(nodes, engine::no_ticks);
    for (std::size_t u = nodes; u-- > 0;) {
      const std::size_t k = graph.nodes[u].step;
      if (k == chain_.stages) {
        t.down[u] = t.fill[u] = t.drain[u] = 0;
        continue;
      }
      const double in_flight = in_flight_ ? static_cast<double>((*in_flight_)[k]) : 1;
      const double before = k == 0 ? 0 : chain_.message(k - 1, graph.nodes[u].cut[1]);
      const double serial = serial_ ? before : 0;
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        const std::size_t v = graph.edges[i].to;
        const duration d = of(graph, graph.edges[i]);
        lower(t.down[u], 2 * before + d.f + d.b + t.down[v]);
        lower(t.fill[u], 2 * before + d.f + d.b + larger((in_flight - 1) * larger(d.f, serial), t.fill[v]));
        lower(t.drain[u], 2 * before + d.f + larger(d.b + (in_flight - 1) * larger(d.b, serial), t.drain[v] + d.b));
      }
    }
  }

  /// Warm-up, steady state and drain of one stage, with those of the previous and later stages: docs/makespan.md,
  /// Bounds, 1F1B and its relatives, Windows, Messages.
  void set_in_flight_bounds(engine::layered_graph& graph, const tables& t, engine::search_clock& clock) const {
    const std::size_t stages = chain_.stages;
    std::vector<double> trips;  // per window, the round trips at the node
    for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
      const std::size_t k = graph.nodes[u].step;
      if (u % 64 == 0 && clock.look()) return;
      if (k == stages || graph.first[u] == graph.first[u + 1]) continue;
      trips.clear();
      for (const engine::steady_window& window : windows_[k]) {
        double sum = 0;
        for (const auto& [r, times] : window.trips) {
          // Omits what is not stored: below the true value, still a bound.
          if (r < t.rows) sum += static_cast<double>(times) * t.up[u * t.rows + r];
        }
        trips.push_back(sum);
      }
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        graph.edges[i].bound = in_flight_bound(t, trips, k, graph.edges[i], of(graph, graph.edges[i]));
      }
    }
  }

  /// The bound of one edge, as stage k; `trips` of its windows.
  [[nodiscard]] double in_flight_bound(const tables& t, const std::vector<double>& trips, std::size_t k,
                                       const edge& each, const duration& d) const {
    const auto m = static_cast<double>(microbatches_);
    const auto in_flight = static_cast<double>((*in_flight_)[k]);
    const double enter = k == 0 ? 0 : t.up[each.from * t.rows];
    const double down = t.down[each.to];
    const double warm = (in_flight - 1) * larger(d.f, t.forward[each.from]);
    const double cool = (in_flight - 1) * larger(d.b, t.backward[each.from]);
    const double fill = t.fill[each.to];
    const double drain = t.drain[each.to];
    double bound = 0;
    if (in_flight < m) {
      double steady = 0;
      for (std::size_t w = 0; w < trips.size(); ++w) {
        const engine::steady_window& window = windows_[k][w];
        const double here =
            trips[w] + static_cast<double>(window.pairs) * (d.f + d.b) + static_cast<double>(window.below) * down;
        steady = larger(steady, here);
      }
      bound = enter + d.f + larger(warm, fill) + steady + d.b + larger(cool, drain);
    } else {
      bound = enter + larger(d.f + larger(warm, fill) + d.b + cool, d.f + warm + drain + d.b);
    }
    return serial_ ? larger(bound, enter + d.f + d.b + down + (m - 1) * d.message) : bound;
  }

  /// docs/makespan.md, Bounds, Every other schedule, Messages.
  void set_relaxed_bounds(engine::layered_graph& graph, const tables& t, engine::search_clock& clock) const {
    std::vector<rank_relaxation::part> parts(1);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      if (i % 64 == 0 && clock.look()) return;
      edge& each = graph.edges[i];
      const std::size_t u = each.from;
      const duration d = of(graph, each);
      parts[0] = {d.f, d.b, d.w, 0, 0};
      const auto ends = relaxed_[graph.nodes[u].step](parts, t.down[each.to]);
      const bool first = graph.nodes[u].step == 0;
      each.bound = larger((first ? 0 : t.enter[u]) + ends.any, (first ? 0 : t.up[u * t.rows]) + ends.leaving);
      if (serial_) {
        const double all = d.f + d.b + t.down[each.to] + (first ? 0 : t.up[u * t.rows]);
        const auto passes = static_cast<double>(microbatches_ * order_.slices);
        each.bound = larger(each.bound, all + (passes - 1) * d.message);
      }
    }
  }

  const engine::chain_ticks& chain_;
  const schedule& order_;
  std::size_t microbatches_;
  bool serial_;  // whether messages over a boundary run one at a time
  bool ends_with_weight_ = true;
  std::optional<std::vector<std::size_t>> in_flight_;
  std::vector<std::vector<engine::steady_window>> windows_{};  // per stage
  mutable std::vector<rank_relaxation> relaxed_{};             // per stage, for other families
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
