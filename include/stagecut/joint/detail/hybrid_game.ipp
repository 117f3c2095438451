// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_game.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double hybrid_rows::least(const hybrid_graph& graph, const std::vector<double>& weights) {
  price(graph, weights);
  return graph.least([this](std::size_t i, double behind) { return cost_[i] + behind; }, behind_);
}

STAGECUT_DECL void hybrid_rows::least_plan(const hybrid_graph& graph, std::vector<std::uint32_t>& options) const {
  std::uint32_t u = 0;
  for (std::uint32_t v = 0; v < graph.nodes.size() && graph.nodes[v].step == 0; ++v) {
    if (behind_[v] < behind_[u]) u = v;
  }
  options.clear();
  while (graph.nodes[u].step != graph.steps) {
    std::uint32_t next = graph.first[u];
    double best = beyond_time;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      const double here = cost_[i] + behind_[graph.edges[i].to];
      if (here < best) best = here, next = i;
    }
    options.push_back(next);
    u = graph.edges[next].to;
  }
}

STAGECUT_DECL void hybrid_rows::raise(hybrid_graph& graph) {
  before_.assign(graph.nodes.size(), beyond_time);
  for (std::size_t u = 0; u < graph.nodes.size(); ++u) {
    if (graph.nodes[u].step == 0) before_[u] = 0;
    for (std::uint32_t i = graph.first[u]; i < graph.first[u + 1]; ++i) {
      hybrid_graph::edge& each = graph.edges[i];
      const double here = before_[u] + cost_[i];
      double& to = before_[each.to];
      to = std::min(to, here);
      const double through = (here + behind_[each.to]) * (1 - 0x1p-40);  // sums were rounded
      each.bound = std::max(each.bound, through);
    }
  }
}

STAGECUT_DECL void hybrid_rows::price(const hybrid_graph& graph, const std::vector<double>& weights) {
  cost_.resize(graph.edges.size());
  for (std::size_t i = 0; i < cost_.size(); ++i) {
    const hybrid_graph::edge& each = graph.edges[i];
    const stage_option& o = options_[each.option];
    const double* const here = weights.data() + graph.nodes[each.from].step * hybrid_kinds;
    cost_[i] = here[hybrid_forward] * o.forward + here[hybrid_backward] * o.backward +
               here[hybrid_message] * o.message + here[hybrid_all_reduce] * o.all_reduce;
  }
}

STAGECUT_DECL auto hybrid_game::keys_of(const hybrid_graph& graph, const hybrid_graph::edge& each) const -> stage_keys {
  const hybrid_graph::node& behind = graph.nodes[each.to];
  const stage_option& option = options_[each.option];
  return {static_cast<double>(behind.point), static_cast<double>(behind.devices), option.forward + option.backward};
}

STAGECUT_DECL void hybrid_game::raise(hybrid_graph& graph) {
  (void)rows_.least(graph, weights);
  rows_.raise(graph);
}

STAGECUT_DECL std::vector<double> hybrid_game::round_trip() const {
  std::vector<double> counts(stages_ * hybrid_kinds, 0);
  for (std::size_t s = 0; s < stages_; ++s) {
    counts[s * hybrid_kinds + hybrid_forward] = counts[s * hybrid_kinds + hybrid_backward] = 1;
    counts[s * hybrid_kinds + hybrid_message] = s == 0 ? 0 : 2;
  }
  return counts;
}

STAGECUT_DECL void hybrid_game::combine() {
  std::vector<double> shares_of(paths_.size(), 0);
  if (plans.empty()) {
    for (std::size_t k = 0; k < shares_of.size(); ++k) shares_of[k] = 1 / static_cast<double>(shares_of.size());
  } else {
    game_.play(paths_.size(), 0, 0);
    game_.row_shares(0, paths_.size(), shares_of);
    double all = 0;
    for (const double each : shares_of) all += each;
    if (all > 1) {
      for (double& each : shares_of) each *= 1 - 0x1p-20;
    }
  }
  now_.assign(stages_ * hybrid_kinds, 0);
  for (std::size_t k = 0; k < shares_of.size(); ++k) {
    paths_.use(k) = 0.98 * paths_.use(k) + shares_of[k];
    if (shares_of[k] == 0) continue;
    for (std::size_t j = 0; j < now_.size(); ++j) now_[j] += shares_of[k] * paths_.counts(k)[j];
  }
}

STAGECUT_DECL auto hybrid_game::keys_of(const hybrid_graph& graph) const -> std::vector<stage_keys> {
  std::vector<stage_keys> result;
  for (const std::uint32_t i : plan_) result.push_back(keys_of(graph, graph.edges[i]));
  return result;
}

STAGECUT_DECL void hybrid_game::add_mean() {
  if (game_.column_weights.size() != plans.size()) return;
  mean_.assign(stages_ * hybrid_kinds, 0);
  for (std::size_t c = 0; c < plans.size(); ++c) {
    for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += game_.column_weights[c] * plans[c].times[j];
  }
  (void)simulator_.run(mean_.data());
  simulator_.count_critical(counts_);
  add_row();
}

STAGECUT_DECL void hybrid_game::add_row() {
  const auto [row, is_new] = paths_.add(counts_);
  if (!is_new) return;
  game_.set_row(paths_.size(), row, [&](std::size_t c) { return paths_.length(row, plans[c].times); });
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
