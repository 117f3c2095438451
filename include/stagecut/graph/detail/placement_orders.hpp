// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>
#include <stagecut/graph/precedence.hpp>

// Orders of elements, and their cuts with the least communication.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Grows from one element: next is the element with the greatest attachment to earlier ones minus that to the others.
[[nodiscard]] inline element_order grown_order(const communication_elements& elements, std::size_t from) {
  using ticks = communication_elements::ticks;
  const std::size_t n = elements.size();
  std::vector<ticks> gain(n);
  std::vector<bool> taken(n);
  std::priority_queue<std::tuple<ticks, std::size_t>> queue;
  for (std::size_t e = 0; e < n; ++e) {
    for (const auto& link : elements.links(e)) gain[e] -= link.weight;
  }
  element_order result;
  std::size_t next = 0;
  while (result.size() < n) {
    if (queue.empty()) {
      while (taken[next]) ++next;
      const std::size_t begin = result.empty() ? from : next;
      queue.emplace(gain[begin], n - 1 - begin);
    }
    const auto [known, behind] = queue.top();
    queue.pop();
    const std::size_t e = n - 1 - behind;
    if (taken[e] || known != gain[e]) continue;
    taken[e] = true;
    result.push_back(static_cast<precedence::element>(e));
    for (const auto& link : elements.links(e)) {
      if (taken[link.to]) continue;
      gain[link.to] += 2 * link.weight;
      queue.emplace(gain[link.to], n - 1 - link.to);
    }
  }
  return result;
}

/// Among available elements, next is the one with the least increase of the cut: what it sends minus what it receives;
/// `back`: built from the end.
[[nodiscard]] inline element_order least_handed(const communication_elements& elements, const precedence& below,
                                                bool back) {
  std::vector<std::uint64_t> priority(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    communication_elements::ticks by = 0;
    for (const auto& link : elements.links(e)) {
      const bool onward = link.order != 0 ? link.order > 0 : link.to > e;
      by += onward == back ? -link.weight : link.weight;
    }
    priority[e] = static_cast<std::uint64_t>(by) + (std::uint64_t{1} << 62U);
  }
  return by_priority(below, priority);
}

/// Cuts an order into as many intervals as there are devices, at the boundaries of blocks of consecutive elements:
/// exact if there are at most `most_blocks` elements.
class placement_cut {
 public:
  using ticks = communication_elements::ticks;
  static constexpr std::size_t most_blocks = 512;

  /// @param order  must outlive this object, as must `elements`
  placement_cut(const communication_elements& elements, const element_order& order)
      : elements_(elements), order_(order) {
    make_blocks();
  }

  /// The device of each element; empty if no cut between blocks fits.
  [[nodiscard]] std::vector<std::uint32_t> run() {
    const std::size_t p = blocks_.size();
    const std::size_t k = elements_.devices();
    if (p > 2 * most_blocks || k > p + 1 || p * p > (std::size_t{1} << 31U) / k) return {};
    hand_over();
    least_.assign((k + 1) * (p + 1), unreached);
    from_.assign((k + 1) * (p + 1), 0);
    least_[0] = 0;
    for (std::size_t j = 1; j <= k; ++j) {
      for (std::size_t b = 0; b <= p; ++b) reach(j, b);
    }
    if (least_[k * (p + 1) + p] == unreached) return {};
    std::vector<std::uint32_t> result(elements_.size());
    std::size_t b = p;
    for (std::size_t j = k; j > 0; --j) {
      const std::size_t a = from_[j * (p + 1) + b];
      const std::size_t last = b == p ? order_.size() : blocks_[b].begin;
      for (std::size_t i = a == p ? last : blocks_[a].begin; i < last; ++i) {
        result[order_[i]] = static_cast<std::uint32_t>(j - 1);
      }
      b = a;
    }
    return result;
  }

 private:
  static constexpr ticks unreached = std::numeric_limits<ticks>::max();
  struct block {
    std::size_t begin = 0;
    communication_elements::weights held{};
    std::size_t first = 0;  // device on which all may be
    std::size_t last = 0;
  };

  void make_blocks() {
    const std::size_t n = order_.size();
    const std::size_t size = (n + most_blocks - 1) / most_blocks;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t e = order_[i];
      const bool full = blocks_.empty() || i - blocks_.back().begin >= size ||
                        blocks_.back().first != elements_.first(e) || blocks_.back().last != elements_.last(e);
      if (full) blocks_.push_back({i, {}, elements_.first(e), elements_.last(e)});
      blocks_.back().held.add(elements_.of(e));
    }
  }

  /// What each block sends to the blocks from each one on.
  void hand_over() {
    const std::size_t p = blocks_.size();
    std::vector<std::size_t> block_of(order_.size());
    for (std::size_t b = 0; b < p; ++b) {
      const std::size_t end = b + 1 < p ? blocks_[b + 1].begin : order_.size();
      for (std::size_t i = blocks_[b].begin; i < end; ++i) block_of[order_[i]] = b;
    }
    handed_.assign((p + 1) * p, 0);
    for (std::size_t e = 0; e < order_.size(); ++e) {
      for (const auto& link : elements_.links(e)) {
        const std::size_t from = block_of[e];
        const std::size_t to = block_of[link.to];
        if (from < to) handed_[to * p + from] += link.weight;
      }
    }
    for (std::size_t b = p; b-- > 1;) {
      for (std::size_t a = 0; a < p; ++a) handed_[b * p + a] += handed_[(b + 1) * p + a];
    }
  }

  /// The least cut of the blocks before b into j intervals.
  void reach(std::size_t j, std::size_t b) {
    const std::size_t p = blocks_.size();
    const ticks* const before = least_.data() + (j - 1) * (p + 1);
    communication_elements::weights held;
    ticks handed = 0;
    ticks best = unreached;
    std::size_t from = 0;
    if (elements_.may_empty()) best = before[b], from = b;
    for (std::size_t a = b; a-- > 0;) {
      held.add(blocks_[a].held);
      if (!held.within(elements_.most()) || blocks_[a].first > j - 1 || blocks_[a].last < j - 1) break;
      handed += handed_[b * p + a];
      if (before[a] == unreached || before[a] + handed >= best) continue;
      best = before[a] + handed;
      from = a;
    }
    least_[j * (p + 1) + b] = best;
    from_[j * (p + 1) + b] = from;
  }

  const communication_elements& elements_;
  const element_order& order_;
  std::vector<block> blocks_{};
  std::vector<ticks> handed_{};  // [to * p + from]: what block `from` sends to the blocks from `to` on
  std::vector<ticks> least_{};
  std::vector<std::size_t> from_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
