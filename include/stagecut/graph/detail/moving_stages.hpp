// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/operator_links.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The sums of `make_stage_pipeline` under moves of elements between stages. A stage keeps its number while its
/// position among the others may change.
class moving_stages {
 public:
  /// @pre `make_stage_pipeline` accepts the assignment, which splits no element
  moving_stages(const operator_graph& graph, const operator_links& links, const contraction& elements,
                view<const std::size_t> stage_of, std::size_t stages);

  [[nodiscard]] std::size_t stages() const noexcept { return k_; }
  [[nodiscard]] view<const std::size_t> stage_of() const noexcept { return stage_of_; }
  [[nodiscard]] std::size_t stage_of_element(std::size_t e) const noexcept {
    return stage_of_[elements_->operators_of(e)[0]];
  }
  /// Number of elements of a stage.
  [[nodiscard]] std::size_t members(std::size_t s) const noexcept { return members_[s]; }
  /// Whether a has to be before b.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const noexcept { return before_[a * k_ + b] != 0; }
  /// Resident bytes of a stage, and its bytes per microbatch.
  [[nodiscard]] double resident(std::size_t s) const noexcept { return sums_.resident[s]; }
  [[nodiscard]] double activations(std::size_t s) const noexcept { return sums_.activations[s]; }

  /// Moves an element to another stage.
  void move(std::size_t element, std::size_t to);

  /// Saved sums, so that moves there and back leave no rounding errors.
  struct sums {
    std::vector<double> forward{}, backward{}, resident{}, activations{};
    std::vector<double> down{};      ///< a * k + b: outputs of operators of the forward pass
    std::vector<double> up{};        ///< outputs of operators of the backward pass
    std::vector<double> gradient{};  ///< from b back to a: gradients of outputs
  };
  void save(sums& to) const { to = sums_; }
  /// @pre all moves since `save` were undone
  void restore(const sums& from) { sums_ = from; }

  /// Loads the stages into a simulator, in an order that respects `before`.
  void load(stage_simulator& to, view<const std::size_t> order) const;

 private:
  /// Clamps a sum that may have rounded below 0 after all was subtracted.
  static double positive(double sum) noexcept { return sum < 0 ? 0 : sum; }

  void add_weight(std::size_t v, std::size_t s);

  void take_weight(std::size_t v, std::size_t s);

  /// Adds (`sign` 1) or subtracts (-1) one operator's part of what two stages send.
  void send(std::size_t u, std::size_t from, std::size_t to, std::uint32_t taken, std::uint32_t returned, int sign);

  /// Edges from an operator to consumers on a stage.
  void join(bool back, std::size_t from, std::size_t to, std::uint32_t taken, std::uint32_t returned, int sign);

  /// Adds or removes one consumer v of u on a stage.
  void count(std::size_t u, std::size_t v, std::size_t s, int sign);

  /// Adds or subtracts an edge with its own tensor.
  void carry(std::size_t edge, int sign);

  void move_operator(std::size_t v, std::size_t to);

  const operator_graph* graph_;
  const operator_links* links_;
  const contraction* elements_;
  std::size_t k_;
  std::vector<std::size_t> stage_of_;
  std::vector<std::uint32_t> taken_;     // for each operator, consumers on each stage
  std::vector<std::uint32_t> returned_;  // of those, for an operator of the forward pass, the ones of the forward pass
  std::vector<std::uint32_t> holders_;   // for each shared parameter, operators on each stage
  std::vector<std::int64_t> before_;     // edges that keep stages in order
  std::vector<std::int64_t> mixed_;      // edges from the forward to the backward pass
  std::vector<std::size_t> members_;
  sums sums_{};
};

inline moving_stages::moving_stages(const operator_graph& graph, const operator_links& links,
                                    const contraction& elements, view<const std::size_t> stage_of, std::size_t stages)
    : graph_(&graph),
      links_(&links),
      elements_(&elements),
      k_(stages),
      stage_of_(stage_of.begin(), stage_of.end()),
      taken_(graph.operators.size() * stages),
      returned_(taken_.size()),
      holders_(graph.shared.size() * stages),
      before_(stages * stages),
      mixed_(stages * stages),
      members_(stages) {
  for (auto* each : {&sums_.forward, &sums_.backward, &sums_.resident, &sums_.activations}) each->resize(k_);
  for (auto* each : {&sums_.down, &sums_.up, &sums_.gradient}) each->resize(k_ * k_);
  for (std::size_t v = 0; v < stage_of_.size(); ++v) {
    add_weight(v, stage_of_[v]);
    for (const std::size_t u : links_->producers(v)) count(u, v, stage_of_[v], 1);
    for (const std::size_t i : links_->tensors_to(v)) carry(i, 1);
  }
  for (std::size_t e = 0; e < elements_->elements(); ++e) ++members_[stage_of_element(e)];
}

inline void moving_stages::move(std::size_t element, std::size_t to) {
  --members_[stage_of_element(element)];
  ++members_[to];
  for (const std::size_t v : elements_->operators_of(element)) move_operator(v, to);
}

inline void moving_stages::load(stage_simulator& to, view<const std::size_t> order) const {
  to.clear(k_);
  for (std::size_t i = 0; i < k_; ++i) {
    to.forward[i] = sums_.forward[order[i]];
    to.backward[i] = sums_.backward[order[i]];
    for (std::size_t j = 0; j < k_; ++j) {
      const std::size_t a = order[j < i ? j : i] * k_ + order[j < i ? i : j];
      const std::size_t b = order[j < i ? i : j] * k_ + order[j < i ? j : i];
      if (i == j || (before_[a] == 0 && before_[b] == 0 && mixed_[a] == 0 && mixed_[b] == 0)) continue;
      const auto other = static_cast<std::uint32_t>(j);
      if (j < i) to.arriving.push_back({other, positive(graph_->latency + sums_.down[a])});
      if (j > i) {
        to.returning.push_back(
            {other, positive(graph_->latency + ((sums_.gradient[a] + sums_.up[b]) + sums_.down[b]))});
      }
    }
    to.arriving_end.push_back(to.arriving.size());
    to.returning_end.push_back(to.returning.size());
  }
  to.end_of_load();
}

inline void moving_stages::add_weight(std::size_t v, std::size_t s) {
  const graph_operator& each = graph_->operators[v];
  (each.is_backward ? sums_.backward : sums_.forward)[s] += each.forward;
  sums_.backward[s] += each.backward;
  sums_.resident[s] += each.resident;
  sums_.activations[s] += each.activations;
  for (const std::size_t i : links_->shared(v)) {
    if (holders_[i * k_ + s]++ == 0) sums_.resident[s] += graph_->shared[i].resident;
  }
}

inline void moving_stages::take_weight(std::size_t v, std::size_t s) {
  const graph_operator& each = graph_->operators[v];
  (each.is_backward ? sums_.backward : sums_.forward)[s] -= each.forward;
  sums_.backward[s] -= each.backward;
  sums_.resident[s] -= each.resident;
  sums_.activations[s] -= each.activations;
  for (const std::size_t i : links_->shared(v)) {
    if (--holders_[i * k_ + s] == 0) sums_.resident[s] -= graph_->shared[i].resident;
  }
}

inline void moving_stages::send(std::size_t u, std::size_t from, std::size_t to, std::uint32_t taken,
                                std::uint32_t returned, int sign) {
  if (from == to || taken == 0) return;
  const graph_operator& each = graph_->operators[u];
  const std::size_t pair = from * k_ + to;
  (each.is_backward ? sums_.up : sums_.down)[pair] += sign * each.sent_seconds;
  if (returned != 0) sums_.gradient[pair] += sign * each.sent_back_seconds;
}

inline void moving_stages::join(bool back, std::size_t from, std::size_t to, std::uint32_t taken,
                                std::uint32_t returned, int sign) {
  if (from == to) return;
  const std::int64_t demanding = back ? taken : returned;
  before_[back ? to * k_ + from : from * k_ + to] += sign * demanding;
  mixed_[from * k_ + to] += sign * (std::int64_t{taken} - demanding);
}

inline void moving_stages::count(std::size_t u, std::size_t v, std::size_t s, int sign) {
  const bool back = graph_->operators[u].is_backward;
  const std::uint32_t returned = back || graph_->operators[v].is_backward ? 0 : 1;
  std::uint32_t& taken_here = taken_[u * k_ + s];
  std::uint32_t& returned_here = returned_[u * k_ + s];
  const std::size_t from = stage_of_[u];
  join(back, from, s, 1, returned, sign);
  send(u, from, s, taken_here, returned_here, -1);
  taken_here = static_cast<std::uint32_t>(static_cast<int>(taken_here) + sign);
  returned_here = static_cast<std::uint32_t>(static_cast<int>(returned_here) + sign * static_cast<int>(returned));
  send(u, from, s, taken_here, returned_here, 1);
}

inline void moving_stages::carry(std::size_t edge, int sign) {
  const operator_edge& each = graph_->edges[edge];
  const std::size_t from = stage_of_[each.from];
  const std::size_t to = stage_of_[each.to];
  if (from == to) return;
  const bool back = graph_->operators[each.from].is_backward;
  const bool returned = !back && !graph_->operators[each.to].is_backward;
  const std::size_t pair = from * k_ + to;
  join(back, from, to, 1, returned ? 1 : 0, sign);
  (back ? sums_.up : sums_.down)[pair] += sign * each.tensor->sent_seconds;
  if (returned) sums_.gradient[pair] += sign * each.tensor->sent_back_seconds;
}

inline void moving_stages::move_operator(std::size_t v, std::size_t to) {
  const std::size_t from = stage_of_[v];
  const bool back = graph_->operators[v].is_backward;
  const auto carry_all = [&](int sign) {
    for (const std::size_t i : links_->tensors_from(v)) carry(i, sign);
    for (const std::size_t i : links_->tensors_to(v)) carry(i, sign);
  };
  carry_all(-1);
  take_weight(v, from);
  add_weight(v, to);
  for (std::size_t s = 0; s < k_; ++s) {
    const std::uint32_t taken = taken_[v * k_ + s];
    const std::uint32_t returned = returned_[v * k_ + s];
    if (taken == 0) continue;
    send(v, from, s, taken, returned, -1);
    join(back, from, s, taken, returned, -1);
    send(v, to, s, taken, returned, 1);
    join(back, to, s, taken, returned, 1);
  }
  stage_of_[v] = to;
  carry_all(1);
  for (const std::size_t u : links_->producers(v)) {
    count(u, v, from, -1);
    count(u, v, to, 1);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
