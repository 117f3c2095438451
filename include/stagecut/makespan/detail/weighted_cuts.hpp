// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/chain_times.hpp>
#include <stagecut/engine/coarse_ticks.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/whole_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A lower bound on a path through an iteration, or on a mean of such paths, over the cuts of a layered graph: a
/// shortest path. As times are differences of prefix sums, nodes contribute to a cut's length, and edges do not.
class weighted_cuts {
 public:
  weighted_cuts(const engine::coarse_ticks& times, const engine::stage_layout& layout, std::size_t items)
      : times_(times), layout_(layout), items_(items) {
    enter_.resize(2 * layout.steps() * (items + 1));
    leave_.resize(enter_.size());
    fixed_.resize(layout.steps());
  }

  /// Sets another path: `counts[s * tick_kinds + kind]`, multiples of 1 / `coarse_ticks::parts`.
  void set(const std::vector<double>& counts) {
    for (std::size_t t = 0; t < layout_.steps(); ++t) {
      fixed_[t] = 0;
      for (std::size_t j = 0; j < layout_.width(t); ++j) set_stage(t, j, counts);
    }
  }

  /// The lower bound.
  double least(const engine::layered_graph& graph) {
    const std::size_t nodes = graph.nodes.size();
    rest_.resize(nodes);
    next_.resize(nodes);
    for (std::size_t u = nodes; u-- > 0;) {
      const auto& node = graph.nodes[u];
      const bool end = node.step == layout_.steps();
      double best = end ? 0 : engine::no_ticks;
      std::uint32_t next = 0;
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        const std::uint32_t v = graph.edges[i].to;
        if (rest_[v] < best) best = rest_[v], next = v;
      }
      next_[u] = next;
      if (best < engine::no_ticks) best += (end ? 0 : leave(node)) + enter(node);
      rest_[u] = best;
    }
    return rest_.empty() ? engine::no_ticks : rest_[0];
  }

  /// The cut points that attain it, after `least`; returns whether there are any.
  bool least_cut(const engine::layered_graph& graph, std::vector<std::size_t>& points) const {
    if (rest_.empty() || !(rest_[0] < engine::no_ticks)) return false;
    points.back() = items_;
    std::uint32_t u = 0;
    for (std::size_t t = graph.nodes[0].step; t < layout_.steps(); ++t) {
      const std::uint32_t v = next_[u];
      for (std::size_t j = 0; j < layout_.width(t); ++j) {
        points[layout_.stage(t, j)] = layout_.part(j, graph.nodes[u], graph.nodes[v]).first;
      }
      u = v;
    }
    return true;
  }

  /// Raises the bounds of edges to the minimum over cuts with them, after `least`; in whole ticks, as makespans are.
  void raise(engine::layered_graph& graph) {
    before_.assign(graph.nodes.size(), engine::no_ticks);
    if (!before_.empty()) before_[0] = 0;
    for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
      if (graph.first[u] == graph.first[u + 1] || !(before_[u] < engine::no_ticks)) continue;
      const double here = before_[u] + enter(graph.nodes[u]) + leave(graph.nodes[u]);
      for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
        engine::layered_graph::edge& each = graph.edges[i];
        if (here < before_[each.to]) before_[each.to] = here;
        const double all = here + rest_[each.to];
        if (all < engine::no_ticks && each.bound < all) each.bound = engine::whole_ticks_up(all);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t t, std::size_t j) const { return (2 * t + j) * (items_ + 1); }

  void set_stage(std::size_t t, std::size_t j, const std::vector<double>& counts) {
    const std::size_t s = layout_.stage(t, j);
    const double* const count = counts.data() + s * engine::tick_kinds;
    const bool leftward =
        layout_.kind == engine::stage_layout::shape::vee && j == 1;  // the stage ends where the step begins
    double* __restrict first = (leftward ? enter_ : leave_).data() + at(t, j);
    double* __restrict last = (leftward ? leave_ : enter_).data() + at(t, j);
    for (std::size_t y = 0; y <= items_; ++y) first[y] = 0;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      fixed_[t] += count[kind] * times_.own(kind, s);
      if (count[kind] == 0) continue;
      const double* __restrict row = times_.row(kind, s).data();
      for (std::size_t y = 0; y <= items_; ++y) first[y] -= count[kind] * row[y];
    }
    for (std::size_t y = 0; y <= items_; ++y) last[y] = -first[y];
    if (count[engine::tick_message] == 0) return;
    for (std::size_t y = 0; y <= items_; ++y) last[y] += count[engine::tick_message] * times_.message(s, y);
  }

  /// A node's contribution as the end of the previous step, and as the begin of its own.
  /// @{
  [[nodiscard]] double enter(const engine::layered_graph::node& v) const {
    if (v.step == 0) return 0;
    const std::size_t t = v.step - 1;
    if (layout_.width(t) == 0) return 0;
    return enter_[at(t, 0) + v.cut[1]] + (layout_.width(t) == 1 ? 0 : enter_[at(t, 1) + v.cut[2]]);
  }
  [[nodiscard]] double leave(const engine::layered_graph::node& u) const {
    const std::size_t t = u.step;
    if (layout_.width(t) == 0) return 0;
    return fixed_[t] + leave_[at(t, 0) + u.cut[1]] + (layout_.width(t) == 1 ? 0 : leave_[at(t, 1) + u.cut[2]]);
  }
  /// @}

  const engine::coarse_ticks& times_;
  const engine::stage_layout& layout_;
  std::size_t items_;
  std::vector<double> enter_{};  // [at(step, its stage) + cut point]
  std::vector<double> leave_{};
  std::vector<double> fixed_{};  // per step, wherever it is cut
  std::vector<double> rest_{};   // per node: its contribution and all later ones
  std::vector<double> before_{};
  std::vector<std::uint32_t> next_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
