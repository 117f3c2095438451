// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/fm.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves single elements of a placement to reduce the cut, by `engine::fm_pass`. Devices may be temporarily overfull,
/// and any excess is worse than any cut.
///
/// With ordered devices only the devices allowed by the neighbours are tried: Moreira, Popp and Schulz, GECCO 2018.
class placement_moves {
 public:
  using ticks = communication_elements::ticks;
  using weights = communication_elements::weights;

  /// @param elements   must outlive this object
  /// @param device_of  of each element, within its allowed devices; if devices are ordered, links lead to the same or a
  ///                   later one
  placement_moves(const communication_elements& elements, std::vector<std::uint32_t> device_of)
      : elements_(elements),
        device_of_(std::move(device_of)),
        held_(elements.devices()),
        members_(elements.devices()),
        attached_(elements.devices()),
        heap_(elements.size(), 100) {
    for (std::size_t e = 0; e < device_of_.size(); ++e) {
      held_[device_of_[e]].add(elements.of(e));
      ++members_[device_of_[e]];
      heaviest_ = std::max(heaviest_, excess(share(elements.of(e).variables, elements.most().variables),
                                             share(elements.of(e).operations, elements.most().operations)));
    }
    cut_ = elements.cut(device_of_);
    for (std::size_t d = 0; d < held_.size(); ++d) excess_ += excess_of(held_[d], members_[d]);
  }

  /// The current cut.
  [[nodiscard]] ticks cut() const noexcept { return cut_; }
  /// The excess of devices over their limits, in a unit of its own; 0: none.
  [[nodiscard]] ticks excess() const noexcept { return excess_; }
  [[nodiscard]] const std::vector<std::uint32_t>& device_of() const noexcept { return device_of_; }

  /// The increase of the cut if an element moves. O(links).
  [[nodiscard]] ticks change(std::size_t e, std::size_t to) const {
    ticks sum = 0;
    for (const auto& link : elements_.links(e)) {
      if (device_of_[link.to] == device_of_[e]) sum += link.weight;
      if (device_of_[link.to] == to) sum -= link.weight;
    }
    return sum;
  }

  /// The range of devices that an element's neighbours allow.
  [[nodiscard]] std::pair<std::size_t, std::size_t> limits(std::size_t e) const {
    std::size_t first = elements_.first(e);
    std::size_t last = elements_.last(e);
    if (!elements_.ordered()) return {first, last};
    for (const auto& link : elements_.links(e)) {
      if (link.order < 0) first = std::max<std::size_t>(first, device_of_[link.to]);
      if (link.order > 0) last = std::min<std::size_t>(last, device_of_[link.to]);
    }
    return {first, last};
  }

  /// Moves an element. @pre `limits` allows it
  void move(std::size_t e, std::size_t to) {
    const std::size_t from = device_of_[e];
    if (from == to) return;
    cut_ += change(e, to);
    excess_ += excess_change(e, to);
    held_[from].remove(elements_.of(e));
    held_[to].add(elements_.of(e));
    --members_[from];
    ++members_[to];
    device_of_[e] = static_cast<std::uint32_t>(to);
  }

  /// One pass. @return whether the placement improved. O((n + m) log n) as a rule
  bool improve(const function_ref<bool()>& stop) {
    const auto best = [&](std::size_t e) { return best_move(e); };
    heap_.begin();
    for (std::size_t e = 0; e < device_of_.size(); ++e) {
      if (excess_ != 0 || stands_at_an_end(e)) heap_.offer(e, best);
    }
    const auto step = [&] {
      const auto now = heap_.take(best);
      if (!now) return engine::fm_step::none;
      moves_.emplace_back(now->element, device_of_[now->element]);
      move(now->element, now->to);
      for (const auto& link : elements_.links(now->element)) heap_.offer(link.to, best);
      return engine::fm_step::made;
    };
    const auto undo = [&](const auto& each) { move(each.first, each.second); };
    return engine::fm_pass(
        device_of_.size(), moves_, [&] { return std::pair(excess_, cut_); }, step, undo, stop);
  }

 private:
  static constexpr ticks empty_device = ticks{1} << 33U;
  struct offered {
    ticks change;
    std::size_t element;
    std::size_t to;
    /// The greatest is taken first.
    friend bool operator<(const offered& a, const offered& b) {
      return std::tuple(a.change, a.element, a.to) > std::tuple(b.change, b.element, b.to);
    }
  };

  /// A share of a device's limit, in 2^-30 of that, rounded up.
  [[nodiscard]] static ticks share(ticks amount, ticks most) {
    const ticks unit = std::max<ticks>(1, most >> 30U);
    return amount / unit + (amount % unit != 0 ? 1 : 0);
  }
  [[nodiscard]] static ticks excess(ticks variables, ticks operations) {
    const ticks sum = variables + operations;
    return sum < empty_device - 1 ? sum : empty_device - 1;
  }
  [[nodiscard]] ticks excess_of(const weights& held, std::size_t members) const {
    if (members == 0) return elements_.may_empty() ? 0 : empty_device;
    const weights& most = elements_.most();
    return excess(share(std::max<ticks>(0, held.variables - most.variables), most.variables),
                  share(std::max<ticks>(0, held.operations - most.operations), most.operations));
  }
  [[nodiscard]] ticks excess_change(std::size_t e, std::size_t to) const {
    const std::size_t from = device_of_[e];
    weights here = held_[from];
    weights there = held_[to];
    here.remove(elements_.of(e));
    there.add(elements_.of(e));
    return excess_of(here, members_[from] - 1) + excess_of(there, members_[to] + 1) -
           excess_of(held_[from], members_[from]) - excess_of(held_[to], members_[to]);
  }
  /// Whether a move may be made now: if devices are overfull, one that reduces the excess.
  [[nodiscard]] bool allowed(std::size_t e, std::size_t to) const {
    const ticks by = excess_change(e, to);
    return excess_ == 0 ? by <= heaviest_ : by < 0;
  }
  [[nodiscard]] bool stands_at_an_end(std::size_t e) const {
    const auto all = elements_.links(e);
    return std::any_of(all.begin(), all.end(), [&](const auto& each) { return device_of_[each.to] != device_of_[e]; });
  }

  /// The best device for an element to move to.
  [[nodiscard]] offered best_move(std::size_t e) {
    const std::size_t here = device_of_[e];
    const auto [first, last] = limits(e);
    constexpr std::size_t none = engine::gain_heap<offered>::nowhere;
    offered best{0, e, none};
    for (const auto& link : elements_.links(e)) attached_[device_of_[link.to]] += link.weight;
    const auto consider = [&](std::size_t to) {
      if (to == here || to < first || to > last) return;
      const offered now{attached_[here] - attached_[to], e, to};
      if ((best.to == none || best < now) && allowed(e, to)) best = now;
    };
    if (last - first < 16) {
      for (std::size_t to = first; to <= last; ++to) consider(to);
    } else {
      for (const auto& link : elements_.links(e)) consider(device_of_[link.to]);
      for (const std::size_t to : {first, last, here + 1, here - 1, lightest()}) consider(to);
    }
    for (const auto& link : elements_.links(e)) attached_[device_of_[link.to]] = 0;
    return best;
  }
  [[nodiscard]] std::size_t lightest() const {
    std::size_t best = 0;
    for (std::size_t d = 1; d < held_.size(); ++d) {
      if (members_[d] == 0 || held_[d].operations < held_[best].operations) best = d;
    }
    return best;
  }

  const communication_elements& elements_;
  std::vector<std::uint32_t> device_of_;
  std::vector<weights> held_;
  std::vector<std::size_t> members_;
  std::vector<ticks> attached_;
  engine::gain_heap<offered> heap_;  // an element without capacity elsewhere waits on
  ticks cut_ = 0;
  ticks excess_ = 0;
  ticks heaviest_ = 0;                                        // the most excess that one element causes
  std::vector<std::pair<std::size_t, std::size_t>> moves_{};  // moved elements, with their origins
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
