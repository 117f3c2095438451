// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/detail/partial_placement.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Branch and bound over all placements. Among empty identical devices only the first is tried.
class placement_search {
 public:
  using ticks = communication_elements::ticks;
  using devices = std::vector<std::uint32_t>;
  static constexpr std::size_t most_elements = 128;
  static constexpr ticks unlimited = partial_placement::unlimited;

  /// @param elements  must outlive this object
  /// @param node_limit  of partial placements in total
  placement_search(const communication_elements& elements, std::size_t node_limit, const function_ref<bool()>& stop)
      : elements_(elements),
        n_(elements.size()),
        k_(elements.devices()),
        now_(elements),
        nodes_left_(node_limit),
        stop_(stop) {}

  /// Whether a search with that many elements and devices may complete.
  [[nodiscard]] static bool is_small(const communication_elements& elements) {
    return elements.size() <= most_elements && elements.devices() <= most_elements;
  }

  /// The placement with the least cut below the cut of `known`; ties go to the least devices, element by element. None if
  /// there is none, or it was not found before the limit: see `proved`.
  std::optional<devices> run(std::optional<devices> known) {
    std::vector<std::size_t> first(n_);
    std::vector<std::size_t> last(n_);
    for (std::size_t e = 0; e < n_; ++e) first[e] = elements_.first(e), last[e] = elements_.last(e);
    below_ = known ? elements_.cut(*known) : unlimited;
    best_ = std::move(known);
    search(first, last, false);
    if (stopped_ || !best_) return best_;
    proved_ = true;
    choose_first(first, last);
    return best_;
  }

  /// Whether the least cut is known, or that there is no placement.
  [[nodiscard]] bool proved() const noexcept { return proved_ || !stopped_; }
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
  /// Lower bound on the cut of every placement, known before any element with a choice of devices was placed.
  [[nodiscard]] ticks root_bound() const noexcept { return root_bound_; }

 private:
  /// Among the placements with the least cut, takes the one with the least devices, element by element.
  void choose_first(std::vector<std::size_t> first, std::vector<std::size_t> last) {
    below_ = elements_.cut(*best_) + 1;
    std::vector<bool> used(k_);
    for (std::size_t e = 0; e < n_; ++e) {
      if (first[e] == last[e]) used[first[e]] = true;
    }
    for (std::size_t e = 0; e < n_ && !stopped_; ++e) {
      const std::size_t most = (*best_)[e];
      bool empty_tried = false;
      for (std::size_t d = first[e]; d < most && !stopped_; ++d) {
        if (!elements_.ordered() && !used[d] && std::exchange(empty_tried, true)) continue;
        auto low = first;
        auto high = last;
        low[e] = high[e] = d;
        if (search(low, high, true)) break;
      }
      first[e] = last[e] = (*best_)[e];
      used[first[e]] = true;
    }
  }

  /// Whether a placement within limits that cuts less than `below_` was found: the best, or any.
  bool search(const std::vector<std::size_t>& first, const std::vector<std::size_t>& last, bool any) {
    any_ = any;
    found_ = false;
    if (now_.begin(first, last)) descend(0, 0);
    return found_;
  }

  void descend(std::size_t depth, ticks cut) {
    if (nodes_left_ == 0 || (nodes_ % 64 == 0 && stop_ && stop_())) stopped_ = true;
    if (stopped_ || (any_ && found_)) return;
    --nodes_left_;
    ++nodes_;
    if (!elements_.may_empty() && now_.empty_devices() > n_ - depth) return;
    if (depth == n_) {
      best_ = now_.device_of();
      below_ = cut + (any_ ? 1 : 0);
      found_ = true;
      return;
    }
    std::vector<std::pair<ticks, std::size_t>> choices;
    const std::size_t e = now_.next(depth);
    const bool goes_on = now_.bound(depth, cut, below_, choices);
    if (depth == now_.pinned() && !any_ && !choices.empty()) root_bound_ = std::max(root_bound_, choices[0].first);
    if (!goes_on) return;
    bool empty_tried = false;
    for (const auto& [least, d] : choices) {
      if (least >= below_) break;
      const bool alike = !elements_.ordered() && depth >= now_.pinned() && now_.is_empty(d);
      if (alike && std::exchange(empty_tried, true)) continue;
      if (!now_.enter(depth, e, d)) continue;
      const ticks more = now_.cost(e, d);
      now_.put(e, d);
      descend(depth + 1, cut + more);
      now_.take_back(e, d);
      if (stopped_ || (any_ && found_)) return;
    }
  }

  const communication_elements& elements_;
  std::size_t n_;
  std::size_t k_;
  partial_placement now_;
  std::size_t nodes_left_;
  std::size_t nodes_ = 0;
  function_ref<bool()> stop_;
  std::optional<devices> best_{};
  ticks below_ = unlimited;
  ticks root_bound_ = 0;
  bool any_ = false;
  bool found_ = false;
  bool stopped_ = false;
  bool proved_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
