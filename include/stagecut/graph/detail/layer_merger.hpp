// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/merging_order.hpp>
#include <stagecut/graph/detail/merging_parts.hpp>
#include <stagecut/graph/merge_request.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Merges elements into parts, pair by pair.
class layer_merger {
 public:
  using ticks = operator_costs::ticks;
  using part = merging_order::part;
  /// An examined pair, by the elements that name its parts, with the verdict; a safe pair is merged.
  struct decision {
    part first = 0;
    part second = 0;
    merge_verdict verdict = merge_verdict::safe;
  };
  using watcher = function_ref<void(const decision&)>;

  /// @param most   work limit of a part
  /// @param edges  limit of a search; the objects must outlive this one
  layer_merger(const operator_costs& costs, const precedence& below, std::size_t devices, ticks most, std::size_t edges,
               const function_ref<bool()>& stop = {}, const watcher& watch = {})
      : below_(below),
        most_(most),
        edges_(edges == 0 ? std::numeric_limits<std::size_t>::max() : edges),
        stop_(stop),
        watch_(watch),
        order_(below),
        parts_(costs, devices),
        waiting_(below.size()),
        age_(below.size()),
        left_(below.size()) {}

  /// Merges until that many parts are left, or no pair may be merged. Only while too many are left may parts exceed the
  /// average over that many, by another quarter each time.
  void run(std::size_t wanted, merge_order order) {
    ticks total = 0;
    ticks heaviest = 1;
    for (std::size_t e = 0; e < below_.size(); ++e) {
      total += parts_.of(e).work();
      heaviest = std::max(heaviest, parts_.of(e).work());
    }
    limit_ = std::max(heaviest, total / static_cast<ticks>(wanted));
    for (;; limit_ += limit_ / 4 + 1) {
      limit_ = std::min(limit_, most_);
      if (order == merge_order::breadth_first) by_breadth(wanted);
      for (auto& each : waiting_) each.clear();
      for (std::size_t e = 0; e < below_.size() && left_ > wanted; ++e) {
        for (const part to : below_.successors(e)) offer(static_cast<part>(e), to);
      }
      lightest(wanted, edges_);
      side_by_side(wanted);
      if (left_ <= wanted || stopped() || limit_ == most_ || limit_ >= total) break;
    }
  }

  /// Merges the heaviest part with another one while that makes it lighter.
  void fewer() {
    limit_ = most_;
    for (bool better = true; better && left_ > 1 && !stopped();) {
      better = false;
      part heaviest = order_.find(0);
      for (std::size_t e = 0; e < below_.size(); ++e) {
        if (order_.find(static_cast<part>(e)) == e && load(heaviest) < load(static_cast<part>(e)))
          heaviest = static_cast<part>(e);
      }
      std::vector<std::pair<ticks, part>> others;
      for (const auto* row : {&order_.next(heaviest), &order_.previous(heaviest)}) {
        for (const part each : *row) others.emplace_back(0, order_.find(each));
      }
      for (auto& [value, other] : others) value = parts_.load(parts_.together(heaviest, other));
      std::sort(others.begin(), others.end());
      for (const auto& [value, other] : others) {
        if (other == heaviest || value >= load(heaviest)) continue;
        if (!allowed(heaviest, other) || !try_pair(heaviest, other, edges_)) continue;
        better = true;
        break;
      }
    }
  }

  /// Number of parts.
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] bool stopped() {
    if (!stopped_ && stop_ && ++asked_ % 64 == 1) stopped_ = stop_();
    return stopped_;
  }
  [[nodiscard]] std::size_t given_up() const noexcept { return given_up_; }

  /// The part of each element, from 0, in topological order.
  [[nodiscard]] std::vector<std::uint32_t> part_of() {
    const std::vector<part> all = in_order();
    std::vector<std::uint32_t> number(below_.size());
    for (std::size_t i = 0; i < all.size(); ++i) number[all[i]] = static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> result;
    for (std::size_t e = 0; e < below_.size(); ++e) result.push_back(number[order_.find(static_cast<part>(e))]);
    return result;
  }

 private:
  /// A pair that may be merged, with the ages of its parts at that time.
  struct entry {
    ticks load;
    part first;
    part second;
    std::uint32_t age;

    /// The lightest is on top of a heap.
    friend bool operator<(const entry& a, const entry& b) noexcept {
      return std::tie(a.load, a.first, a.second) > std::tie(b.load, b.first, b.second);
    }
  };

  [[nodiscard]] ticks load(part p) const noexcept { return parts_.load(parts_.of(p)); }
  [[nodiscard]] std::uint32_t age_of(part a, part b) const noexcept { return age_[a] + age_[b]; }

  [[nodiscard]] bool allowed(part a, part b) const {
    const merging_parts::figures both = parts_.together(a, b);
    return both.work() <= limit_ && parts_.may_grow(both);
  }

  void offer(part a, part b) {
    a = order_.find(a);
    b = order_.find(b);
    if (a == b) return;
    const merging_parts::figures both = parts_.together(a, b);
    if (both.work() > limit_ || !parts_.may_grow(both)) return;
    heap_.push_back({parts_.load(both), a, b, age_of(a, b)});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// @return whether they are one part now
  bool try_pair(part a, part b, std::size_t edges) {
    const decision what{a, b, order_.look(a, b, edges)};
    if (watch_) watch_(what);
    if (what.verdict == merge_verdict::unsure) ++given_up_;
    if (what.verdict != merge_verdict::safe) return false;
    const part kept = order_.merge();
    const part gone = kept == a ? b : a;
    parts_.merge(kept, gone);
    age_[kept] = std::max(age_[kept], age_[gone]) + 1;
    --left_;
    // Pairs separated by another path, which may now be inside this part.
    std::vector<std::pair<part, part>> again = std::exchange(waiting_[gone], {});
    again.insert(again.end(), waiting_[kept].begin(), waiting_[kept].end());
    waiting_[kept].clear();
    for (auto& [from, to] : again) from = order_.find(from), to = order_.find(to);
    std::sort(again.begin(), again.end());
    again.erase(std::unique(again.begin(), again.end()), again.end());
    for (const auto& [from, to] : again) offer(from, to);
    return true;
  }

  /// Repeatedly merges the lightest pair of the heap.
  void lightest(std::size_t wanted, std::size_t edges) {
    entry refused{-1, 0, 0, 0};
    while (left_ > wanted && !heap_.empty() && !stopped()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const entry top = heap_.back();
      heap_.pop_back();
      const part a = order_.find(top.first);
      const part b = order_.find(top.second);
      const bool again = top.first == refused.first && top.second == refused.second && top.age == refused.age;
      if (a == b || again) continue;
      if (a != top.first || b != top.second || age_of(a, b) != top.age) {
        offer(a, b);
        continue;
      }
      if (try_pair(a, b, edges)) continue;
      refused = top;
      waiting_[a].emplace_back(a, b);
      waiting_[b].emplace_back(a, b);
    }
  }

  /// Repeatedly merges, from the inputs on, what costs less together.
  void by_breadth(std::size_t wanted) {
    const element_order order = breadth_first(below_);
    for (bool any = true; any && left_ > wanted && !stopped();) {
      any = false;
      for (const part e : order) {
        for (const part to : below_.successors(e)) {
          const part a = order_.find(e);
          const part b = order_.find(to);
          if (a == b || left_ <= wanted || stopped() || !allowed(a, b)) continue;
          if (parts_.load(parts_.together(a, b)) < load(a) + load(b) && try_pair(a, b, edges_)) any = true;
        }
      }
      heap_.clear();
    }
  }

  [[nodiscard]] std::vector<part> in_order() {
    std::vector<part> result;
    for (std::size_t e = 0; e < below_.size(); ++e) {
      if (order_.find(static_cast<part>(e)) == e) result.push_back(static_cast<part>(e));
    }
    std::sort(result.begin(), result.end(), [&](part a, part b) { return order_.slot(a) < order_.slot(b); });
    return result;
  }

  /// If no pair with an edge is left: merges neighbours in the order, between which no path can lead.
  void side_by_side(std::size_t wanted) {
    for (std::size_t before = left_ + 1; left_ < before && left_ > wanted;) {
      before = left_;
      const std::vector<part> line = in_order();
      heap_.clear();
      for (auto& each : waiting_) each.clear();
      for (std::size_t i = 0; i + 1 < line.size(); ++i) offer(line[i], line[i + 1]);
      lightest(wanted, std::numeric_limits<std::size_t>::max());
    }
  }

  const precedence& below_;
  ticks most_;
  ticks limit_ = 0;  // of a part's work, currently
  std::size_t edges_;
  function_ref<bool()> stop_;
  watcher watch_;
  merging_order order_;
  merging_parts parts_;
  std::vector<entry> heap_{};
  std::vector<std::vector<std::pair<part, part>>> waiting_;  // for each part, pairs with it that another path separates
  std::vector<std::uint32_t> age_;                           // of each part, increased whenever it grows
  std::size_t left_;
  std::size_t given_up_ = 0;
  std::size_t asked_ = 0;
  bool stopped_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
