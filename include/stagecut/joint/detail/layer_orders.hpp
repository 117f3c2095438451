// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>
#include <stagecut/joint/baselines/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The bytes that layers send to those that have not yet run: a `set_cost` of order ideals.
class crossing_bytes {
 public:
  crossing_bytes(const profile& model, const precedence& below) : model_(&model), below_(&below), left_(below.size()) {
    for (std::size_t v = 0; v < below.size(); ++v) left_[v] = below.successors(v).size();
  }

  [[nodiscard]] std::size_t size() const noexcept { return left_.size(); }
  [[nodiscard]] double value(const stage_role& /*role*/) const noexcept { return bytes_; }

  void add(std::size_t v) {
    if (left_[v] != 0) bytes_ += model_->layers[v].output;
    for (const precedence::element from : below_->predecessors(v)) {
      if (--left_[from] == 0) bytes_ -= model_->layers[from].output;
    }
  }
  void remove(std::size_t v) {
    if (left_[v] != 0) bytes_ -= model_->layers[v].output;
    for (const precedence::element from : below_->predecessors(v)) {
      if (left_[from]++ == 0) bytes_ += model_->layers[from].output;
    }
  }

 private:
  const profile* model_;
  const precedence* below_;
  std::vector<std::size_t> left_;  // for each layer, the layers outside the set that it feeds
  double bytes_ = 0;
};

/// Linear orders of the layers of a graph.
class layer_orders {
 public:
  layer_orders(const profile& model, std::uint64_t seed) : below_(pairs_of(model)), random_(seed) {
    const view<const precedence::element> plain = below_.order();
    fixed_.emplace_back(plain.begin(), plain.end());
    fixed_.push_back(depth_first(below_));
    fixed_.push_back(breadth_first(below_));
    const precedence backward = reversed(below_);
    fixed_.push_back(backwards(depth_first(backward)));
    fixed_.push_back(backwards(breadth_first(backward)));
    fixed_.push_back(least_cut(below_, crossing_bytes(model, below_)));
  }

  /// The number of orders that do not depend on a plan.
  [[nodiscard]] std::size_t size() const noexcept { return fixed_.size(); }
  [[nodiscard]] std::vector<std::size_t> operator[](std::size_t i) const {
    return {fixed_[i].begin(), fixed_[i].end()};
  }

  /// An order that goes through stages one after the other: inside them like the `i`-th one, or, for greater numbers,
  /// random.
  [[nodiscard]] std::vector<std::size_t> through(const std::vector<std::size_t>& stage_of, std::size_t i) {
    if (i >= fixed_.size()) {
      std::vector<std::uint32_t> stages;
      for (const std::size_t stage : stage_of) stages.push_back(static_cast<std::uint32_t>(stage));
      const element_order any = random_order(below_, random_, stages);
      return {any.begin(), any.end()};
    }
    std::vector<std::uint64_t> priority(below_.size());
    for (std::size_t at = 0; at < below_.size(); ++at) {
      const precedence::element v = fixed_[i][at];
      priority[v] = (std::uint64_t{stage_of[v]} << 32U) + at;
    }
    const element_order same = by_priority(below_, priority);
    return {same.begin(), same.end()};
  }

 private:
  static precedence pairs_of(const profile& model) {
    std::vector<precedence::pair> pairs;
    for (const profile_edge& edge : model.edges) {
      pairs.emplace_back(static_cast<precedence::element>(edge.from), static_cast<precedence::element>(edge.to));
    }
    for (std::size_t i = 1; model.edges.empty() && i < model.layers.size(); ++i) {
      pairs.emplace_back(static_cast<precedence::element>(i - 1), static_cast<precedence::element>(i));
    }
    return {model.layers.size(), std::move(pairs)};
  }

  static element_order backwards(const element_order& order) { return {order.rbegin(), order.rend()}; }

  precedence below_;
  engine::seeded random_;
  std::vector<element_order> fixed_{};
};

/// Thins out the points of an order: of each run of equally many neighbours keeps the one with the fewest crossing
/// bytes, and those that are `kept`.
/// @pre `kept` has one entry per point of the order
[[nodiscard]] inline graph_states with_fewer_points(const graph_states& of, std::size_t most,
                                                    const std::vector<bool>& kept) {
  const std::size_t last = of.states.size();
  if (last <= most) return of;
  std::vector<bool> chosen(last + 1);
  chosen[0] = chosen[last] = true;
  for (std::size_t window = 0; window + 1 < most; ++window) {
    const std::size_t from = 1 + window * (last - 1) / (most - 1);
    const std::size_t to = 1 + (window + 1) * (last - 1) / (most - 1);
    std::size_t best = from;
    for (std::size_t p = from; p < to; ++p) {
      if (of.states.output[p] < of.states.output[best]) best = p;
    }
    chosen[best] = true;
  }
  graph_states result{{{}, {}, {}, {}, {}}, of.layers, {}, of.words};
  for (std::size_t p = 0; p <= last; ++p) {
    if (!chosen[p] && (kept.empty() || !kept[p])) continue;
    result.states.seconds.push_back(of.states.seconds[p]);
    result.states.parameters.push_back(of.states.parameters[p]);
    result.states.activations.push_back(of.states.activations[p]);
    result.states.output.push_back(of.states.output[p]);
    for (std::size_t w = 0; w < of.words; ++w) result.held.push_back(of.held[p * of.words + w]);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
