// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/communication_elements.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A placement of the first elements of an order, with a bound on the total cut: what is cut, plus what the others must
/// cut at least. The bound settles these in reverse order: each passes to the earlier ones its extra cost of the
/// devices that are not its cheapest.
class partial_placement {
 public:
  using ticks = communication_elements::ticks;
  using devices = std::vector<std::uint32_t>;
  static constexpr ticks unlimited = std::numeric_limits<ticks>::max() / 4;

  /// @param elements  must outlive this object
  explicit partial_placement(const communication_elements& elements)
      : elements_(elements), n_(elements.size()), k_(elements.devices()), device_of_(n_), place_(n_) {
    find_reach();
  }

  /// Restarts with a range of devices for each element; returns whether each may have one.
  bool begin(const std::vector<std::size_t>& first, const std::vector<std::size_t>& last) {
    first_.assign(n_ + 1, first);
    last_.assign(n_ + 1, last);
    for (std::size_t e = 0; e < n_; ++e) {
      if (elements_.ordered() && first[e] == last[e] && !limit(0, e, first[e])) return false;
    }
    choose_order();
    attached_.assign(n_ * k_, 0);
    placed_weight_.assign(n_, 0);
    held_.assign(k_, {});
    members_.assign(k_, 0);
    return true;
  }

  /// The element that is placed after `depth` others.
  [[nodiscard]] std::size_t next(std::size_t depth) const { return order_[depth]; }
  /// Number of elements with a single device; they come first.
  [[nodiscard]] std::size_t pinned() const noexcept { return pinned_; }
  [[nodiscard]] const devices& device_of() const noexcept { return device_of_; }
  [[nodiscard]] bool is_empty(std::size_t d) const { return members_[d] == 0; }
  [[nodiscard]] std::size_t empty_devices() const {
    return static_cast<std::size_t>(std::count(members_.begin(), members_.end(), std::size_t{0}));
  }
  /// The increase of the cut if the next element is on that device.
  [[nodiscard]] ticks cost(std::size_t e, std::size_t d) const { return placed_weight_[e] - attached_[e * k_ + d]; }

  /// Places the element after `depth` others on a device; returns whether those ordered with it still have one.
  bool enter(std::size_t depth, std::size_t e, std::size_t d) {
    if (!elements_.ordered()) return true;
    first_[depth + 1] = first_[depth];
    last_[depth + 1] = last_[depth];
    return limit(depth + 1, e, d);
  }

  void put(std::size_t e, std::size_t d) {
    device_of_[e] = static_cast<std::uint32_t>(d);
    held_[d].add(elements_.of(e));
    ++members_[d];
    for (const auto& link : elements_.links(e))
      attached_[link.to * k_ + d] += link.weight, placed_weight_[link.to] += link.weight;
  }
  void take_back(std::size_t e, std::size_t d) {
    held_[d].remove(elements_.of(e));
    --members_[d];
    for (const auto& link : elements_.links(e))
      attached_[link.to * k_ + d] -= link.weight, placed_weight_[link.to] -= link.weight;
  }

  /// Whether the partial placement can be extended; if so, the devices for the next element by their least cut.
  bool bound(std::size_t depth, ticks cut, ticks below, std::vector<std::pair<ticks, std::size_t>>& choices) {
    costs_.assign(n_ * k_, 0);
    for (std::size_t i = depth; i < n_; ++i) {
      if (!fill_costs(depth, order_[i])) return false;
    }
    // The next element comes last, so that all others report their costs of its devices.
    ticks least = cut;
    for (std::size_t i = n_; i-- > depth + 1;) {
      least += settle(depth, order_[i]);
      if (least >= below) return false;
    }
    const ticks* const of = costs_.data() + order_[depth] * k_;
    for (std::size_t d = 0; d < k_; ++d) {
      if (of[d] < unlimited) choices.emplace_back(least + of[d], d);
    }
    std::sort(choices.begin(), choices.end());
    return !choices.empty() && choices[0].first < below;
  }

 private:
  /// Restricts an element to one device, and its predecessors and successors accordingly; returns whether all still
  /// have one.
  bool limit(std::size_t depth, std::size_t e, std::size_t d) {
    if (d < first_[depth][e] || d > last_[depth][e]) return false;
    first_[depth][e] = last_[depth][e] = d;
    for (const std::uint32_t to : after_[e]) {
      first_[depth][to] = std::max(first_[depth][to], d);
      if (first_[depth][to] > last_[depth][to]) return false;
    }
    for (const std::uint32_t from : before_[e]) {
      last_[depth][from] = std::min(last_[depth][from], d);
      if (first_[depth][from] > last_[depth][from]) return false;
    }
    return true;
  }

  /// Elements with a single device come first, then always the one most attached to earlier ones.
  void choose_order() {
    order_.clear();
    std::vector<ticks> near(n_);
    std::vector<ticks> all(n_);
    std::vector<bool> taken(n_);
    for (std::size_t e = 0; e < n_; ++e) {
      for (const auto& link : elements_.links(e)) all[e] += link.weight;
    }
    pinned_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      std::size_t best = n_;
      const auto rank = [&](std::size_t e) { return std::tuple(first_[0][e] == last_[0][e], near[e], all[e]); };
      for (std::size_t e = 0; e < n_; ++e) {
        if (!taken[e] && (best == n_ || rank(best) < rank(e))) best = e;
      }
      if (first_[0][best] == last_[0][best]) ++pinned_;
      taken[best] = true;
      place_[best] = i;
      order_.push_back(best);
      for (const auto& link : elements_.links(best)) near[link.to] += link.weight;
    }
  }

  /// The cut of an element's links to placed ones, on every device; returns whether there is a device for it.
  bool fill_costs(std::size_t depth, std::size_t e) {
    bool fits = false;
    for (std::size_t d = 0; d < k_; ++d) {
      communication_elements::weights held = held_[d];
      held.add(elements_.of(e));
      const bool may = first_[depth][e] <= d && d <= last_[depth][e] && held.within(elements_.most());
      costs_[e * k_ + d] = may ? placed_weight_[e] - attached_[e * k_ + d] : unlimited;
      fits = fits || may;
    }
    return fits;
  }

  /// The least cost of an element; its extra cost on other devices is passed to those that are placed earlier.
  ticks settle(std::size_t depth, std::size_t e) {
    ticks* const of = costs_.data() + e * k_;
    const ticks least = *std::min_element(of, of + k_);
    if (least >= unlimited) return unlimited;
    std::size_t receivers = 0;
    for (const auto& link : elements_.links(e)) receivers += static_cast<std::size_t>(is_before(depth, link.to, e));
    for (std::size_t d = 0; d < k_; ++d) of[d] -= of[d] < unlimited ? least : 0;
    for (const auto& link : elements_.links(e)) {
      if (!is_before(depth, link.to, e)) continue;
      hand(of, costs_.data() + link.to * k_, link, static_cast<ticks>(receivers--));
    }
    return least;
  }
  [[nodiscard]] bool is_before(std::size_t depth, std::size_t a, std::size_t b) const {
    return place_[a] >= depth && place_[a] < place_[b];
  }
  /// Passes one of `parts` shares of an element's cost to a neighbour.
  void hand(ticks* of, ticks* to, const communication_elements::link& over, ticks parts) {
    part_.resize(k_);
    for (std::size_t d = 0; d < k_; ++d) {
      part_[d] = of[d] < unlimited ? of[d] / parts : unlimited;
      if (of[d] < unlimited) of[d] -= part_[d];
    }
    const auto pass = [&](std::size_t d, ticks elsewhere) {
      const ticks there = elsewhere < unlimited ? elsewhere + over.weight : unlimited;
      const ticks by = std::min(part_[d], there);
      to[d] = by < unlimited && to[d] < unlimited ? to[d] + by : unlimited;
    };
    ticks least = unlimited;
    if (over.order == 0) {
      least = *std::min_element(part_.begin(), part_.end());
      for (std::size_t d = 0; d < k_; ++d) pass(d, least);
    } else if (over.order > 0) {  // the receiver is on the same or a later device
      for (std::size_t d = 0; d < k_; ++d) pass(d, least), least = std::min(least, part_[d]);
    } else {
      for (std::size_t d = k_; d-- > 0;) pass(d, least), least = std::min(least, part_[d]);
    }
  }

  /// The ancestors and descendants of every element.
  void find_reach() {
    before_.resize(n_);
    after_.resize(n_);
    if (!elements_.ordered()) return;
    for (const std::uint32_t e : elements_.below().order()) {
      std::vector<bool> seen(n_);
      for (const std::uint32_t from : elements_.below().predecessors(e)) {
        seen[from] = true;
        for (const std::uint32_t each : before_[from]) seen[each] = true;
      }
      for (std::uint32_t each = 0; each < n_; ++each) {
        if (seen[each]) before_[e].push_back(each), after_[each].push_back(e);
      }
    }
  }

  const communication_elements& elements_;
  std::size_t n_;
  std::size_t k_;
  devices device_of_;
  std::vector<std::size_t> place_;  // position of each element in the order
  std::vector<std::size_t> order_{};
  std::size_t pinned_ = 0;
  std::vector<ticks> attached_{};       // of each element and device
  std::vector<ticks> placed_weight_{};  // of each element, its links to placed ones
  std::vector<communication_elements::weights> held_{};
  std::vector<std::size_t> members_{};
  std::vector<std::vector<std::size_t>> first_{};  // of each depth and element
  std::vector<std::vector<std::size_t>> last_{};
  std::vector<std::vector<std::uint32_t>> before_{};
  std::vector<std::vector<std::uint32_t>> after_{};
  std::vector<ticks> costs_{};
  std::vector<ticks> part_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
