// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// The steps of the ranks of a pipeline, messages between their passes, in plain loops.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A message between two stages, as long in each direction.
struct plain_message {
  std::size_t from = 0;
  std::size_t to = 0;
  double seconds = 0;
};

/// A step of a rank: a pass, or that its result is sent along an edge, or is received.
struct plain_step {
  op what{};
  bool message = false;
  bool receives = false;
  std::size_t edge = 0;
};

/// Whether a pass is of the backward pass.
[[nodiscard]] constexpr bool goes_back(const op& each) noexcept { return each.kind != op_kind::forward; }

/// The edges at every stage.
class plain_edges {
 public:
  /// @param kind  what messages occupy; empty: there are none
  plain_edges(const schedule& order, std::vector<plain_message> edges, std::string kind)
      : order_(order), edges_(std::move(edges)), kind_(std::move(kind)), out_(order.stages()), in_(order.stages()) {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      out_[edges_[e].from].push_back(e);
      in_[edges_[e].to].push_back(e);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return edges_.size(); }
  [[nodiscard]] double seconds(std::size_t e) const noexcept { return edges_[e].seconds; }
  [[nodiscard]] std::size_t rank(std::size_t stage) const noexcept { return order_.rank_of[stage]; }
  [[nodiscard]] bool is(const char* kind) const noexcept { return kind_ == kind; }
  /// Those along which a pass gets what it needs: F from the stages before, B and I from those behind.
  [[nodiscard]] const std::vector<std::size_t>& sources(const op& each) const noexcept {
    return goes_back(each) ? out_[each.stage] : in_[each.stage];
  }
  /// Those along which its result goes.
  [[nodiscard]] const std::vector<std::size_t>& targets(const op& each) const noexcept {
    return goes_back(each) ? in_[each.stage] : out_[each.stage];
  }
  /// The stage that a pass waits for along an edge, and the one that waits for it.
  [[nodiscard]] std::size_t source(std::size_t e, const op& each) const noexcept {
    return goes_back(each) ? edges_[e].to : edges_[e].from;
  }
  [[nodiscard]] std::size_t target(std::size_t e, const op& each) const noexcept {
    return goes_back(each) ? edges_[e].from : edges_[e].to;
  }
  /// Whether there are messages along an edge.
  [[nodiscard]] bool crosses(std::size_t e) const noexcept {
    return !kind_.empty() && rank(edges_[e].from) != rank(edges_[e].to);
  }

 private:
  const schedule& order_;
  std::vector<plain_message> edges_;
  std::string kind_;
  std::vector<std::vector<std::size_t>> out_;  // of every stage
  std::vector<std::vector<std::size_t>> in_;
};

/// Whether all that a pass waits for was issued: `issued` of F, then of B or I, by stage and microbatch.
[[nodiscard]] inline bool has_needs(const plain_edges& edges, const op& each, std::size_t microbatches,
                                    const std::vector<char> (&issued)[2]) {
  if (each.kind == op_kind::backward_weight) return true;
  for (const std::size_t e : edges.sources(each)) {
    const std::size_t at = edges.source(e, each) * microbatches + each.microbatch;
    if (issued[goes_back(each) ? 1 : 0][at] == 0) return false;
  }
  return true;
}

/// Puts sending and receipt behind a pass.
inline void add_messages(const plain_edges& edges, const op& each, std::vector<std::vector<plain_step>>& steps) {
  if (each.kind == op_kind::backward_weight) return;
  for (const std::size_t e : edges.targets(each)) {
    if (!edges.crosses(e)) continue;
    steps[edges.rank(each.stage)].push_back({each, true, false, e});
    steps[edges.rank(edges.target(e, each))].push_back({each, true, true, e});
  }
}

/// The steps of every rank, where messages have an order. Ranks take turns, each issuing its next pass if that has all
/// it needs; what it makes is sent behind it, and received by the other rank from then on.
///
/// @param messages  whether they hold a place in the order
/// @return          of every rank; fewer than its passes where ranks wait for each other
[[nodiscard]] inline std::vector<std::vector<plain_step>> plain_steps(const schedule& order, const plain_edges& edges,
                                                                      bool messages) {
  const std::size_t m = order.microbatches;
  std::vector<std::vector<plain_step>> steps(order.ranks());
  std::vector<char> issued[2] = {std::vector<char>(order.stages() * m), std::vector<char>(order.stages() * m)};
  std::vector<std::size_t> at(order.ranks());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      const std::vector<op>& ops = order.orders[r];
      if (at[r] == ops.size()) continue;
      const std::size_t last = at[r] + (ops[at[r]].with_next ? 2 : 1);
      bool can = true;
      for (std::size_t i = at[r]; i < last; ++i) can = can && detail::has_needs(edges, ops[i], m, issued);
      if (!can) continue;
      for (std::size_t i = at[r]; i < last; ++i) {
        steps[r].push_back({ops[i], false, false, 0});
        if (ops[i].kind == op_kind::backward_weight) continue;
        issued[goes_back(ops[i]) ? 1 : 0][ops[i].stage * m + ops[i].microbatch] = 1;
      }
      for (std::size_t i = at[r]; i < last && messages; ++i) detail::add_messages(edges, ops[i], steps);
      at[r] = last;
      moved = true;
    }
  }
  return steps;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
