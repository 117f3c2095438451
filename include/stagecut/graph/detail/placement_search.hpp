// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/detail/rows.hpp>

namespace stagecut::inline v0::detail {

/// Looks through all placements, and leaves out those of which a bound says that they cut too much.
///
/// The bound of a partial placement is what it cuts, and what its links to the others do at least: these in a row, each
/// hands on to those behind it what it would cost them to stand elsewhere than where it costs least. Of devices that are
/// empty and alike only the first is tried.
class placement_search {
 public:
  using ticks = communication_elements::ticks;
  using devices = std::vector<std::uint32_t>;
  static constexpr std::size_t most_elements = 128;
  static constexpr ticks unlimited = std::numeric_limits<ticks>::max() / 4;

  /// @param elements  must outlive this object
  /// @param node_limit  of partial placements in all
  placement_search(const communication_elements& elements, std::size_t node_limit, const function_ref<bool()>& stop)
      : elements_(elements),
        n_(elements.size()),
        k_(elements.devices()),
        nodes_left_(node_limit),
        stop_(stop),
        attached_(n_ * k_),
        placed_weight_(n_),
        held_(k_),
        members_(k_),
        device_of_(n_),
        place_(n_) {
    find_reach();
  }

  /// Whether a search of that many elements and devices has a chance to end.
  [[nodiscard]] static bool is_small(const communication_elements& elements) {
    return elements.size() <= most_elements && elements.devices() <= most_elements;
  }

  /// The placement that cuts least, of those that cut less than `below`; of several the one with the least devices, element
  /// by element. None if there is none, or it was not found before the limit: see `ended`.
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
  /// What every placement cuts at least, as known before any element was placed that may stand on several devices.
  [[nodiscard]] ticks root_bound() const noexcept { return root_bound_; }

 private:
  /// Of the placements that cut least, takes the one with the least devices, element by element.
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
    first_ = {first};
    last_ = {last};
    first_.resize(n_ + 1, first);
    last_.resize(n_ + 1, last);
    for (std::size_t e = 0; e < n_; ++e) {
      if (elements_.ordered() && first[e] == last[e] && !limit(0, e, first[e])) return false;
    }
    choose_order();
    std::fill(attached_.begin(), attached_.end(), ticks{0});
    std::fill(placed_weight_.begin(), placed_weight_.end(), ticks{0});
    std::fill(held_.begin(), held_.end(), communication_elements::weights{});
    std::fill(members_.begin(), members_.end(), std::size_t{0});
    descend(0, 0);
    return found_;
  }

  /// Elements that have one device come first, then always the one that is most attached to those before.
  void choose_order() {
    order_.clear();
    std::vector<ticks> near(n_);
    std::vector<ticks> all(n_);
    std::vector<bool> taken(n_);
    for (std::size_t e = 0; e < n_; ++e) {
      for (const auto& each : elements_.links(e)) all[e] += each.weight;
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
      for (const auto& each : elements_.links(best)) near[each.to] += each.weight;
    }
  }

  void descend(std::size_t depth, ticks cut) {
    if (nodes_left_ == 0 || (nodes_ % 64 == 0 && stop_ && stop_())) stopped_ = true;
    if (stopped_ || (any_ && found_)) return;
    --nodes_left_;
    ++nodes_;
    const auto empty = static_cast<std::size_t>(std::count(members_.begin(), members_.end(), std::size_t{0}));
    if (!elements_.may_empty() && empty > n_ - depth) return;
    if (depth == n_) {
      best_ = device_of_;
      below_ = cut + (any_ ? 1 : 0);
      found_ = true;
      return;
    }
    std::vector<std::pair<ticks, std::size_t>> choices;
    const std::size_t e = order_[depth];
    if (!bound(depth, cut, choices)) return;
    bool empty_tried = false;
    for (const auto& [least, d] : choices) {
      if (least >= below_) break;
      const bool alike = !elements_.ordered() && depth >= pinned_ && members_[d] == 0;
      if (alike && std::exchange(empty_tried, true)) continue;
      if (elements_.ordered()) {
        first_[depth + 1] = first_[depth];
        last_[depth + 1] = last_[depth];
        if (!limit(depth + 1, e, d)) continue;
      }
      const ticks more = placed_weight_[e] - attached_[e * k_ + d];
      put(e, d);
      descend(depth + 1, cut + more);
      take_back(e, d);
      if (stopped_ || (any_ && found_)) return;
    }
  }

  /// Lets an element stand on one device, and what is before and behind it accordingly; whether all still have one.
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

  void put(std::size_t e, std::size_t d) {
    device_of_[e] = static_cast<std::uint32_t>(d);
    held_[d].add(elements_.of(e));
    ++members_[d];
    for (const auto& each : elements_.links(e)) attached_[each.to * k_ + d] += each.weight, placed_weight_[each.to] += each.weight;
  }
  void take_back(std::size_t e, std::size_t d) {
    held_[d].remove(elements_.of(e));
    --members_[d];
    for (const auto& each : elements_.links(e)) attached_[each.to * k_ + d] -= each.weight, placed_weight_[each.to] -= each.weight;
  }

  /// Whether what is placed can be gone on with; if so, the devices for the next element by what is cut at least then.
  bool bound(std::size_t depth, ticks cut, std::vector<std::pair<ticks, std::size_t>>& choices) {
    costs_.assign(n_ * k_, 0);
    for (std::size_t i = depth; i < n_; ++i) {
      if (!fill_costs(depth, order_[i])) return false;
    }
    // The next element comes last, so that all others tell what its devices cost them.
    ticks least = cut;
    for (std::size_t i = n_; i-- > depth + 1;) {
      least += settle(depth, order_[i]);
      if (least >= below_) return false;
    }
    const ticks* const of = costs_.data() + order_[depth] * k_;
    for (std::size_t d = 0; d < k_; ++d) {
      if (of[d] < unlimited) choices.emplace_back(least + of[d], d);
    }
    std::sort(choices.begin(), choices.end());
    if (choices.empty()) return false;
    if (depth == pinned_ && !any_) root_bound_ = std::max(root_bound_, choices[0].first);
    return choices[0].first < below_;
  }

  /// What an element cuts of its links to placed ones, on every device; whether there is one for it.
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

  /// What an element costs at least; what it costs more on other devices is handed to those that are placed sooner.
  ticks settle(std::size_t depth, std::size_t e) {
    ticks* const of = costs_.data() + e * k_;
    const ticks least = *std::min_element(of, of + k_);
    if (least >= unlimited) return unlimited;
    std::size_t receivers = 0;
    for (const auto& each : elements_.links(e)) receivers += static_cast<std::size_t>(is_before(depth, each.to, e));
    for (std::size_t d = 0; d < k_; ++d) of[d] -= of[d] < unlimited ? least : 0;
    for (const auto& each : elements_.links(e)) {
      if (!is_before(depth, each.to, e)) continue;
      hand(of, costs_.data() + each.to * k_, each, static_cast<ticks>(receivers--));
    }
    return least;
  }
  [[nodiscard]] bool is_before(std::size_t depth, std::size_t a, std::size_t b) const {
    return place_[a] >= depth && place_[a] < place_[b];
  }
  /// Hands on one of so many parts of what an element costs.
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
    } else if (over.order > 0) {  // the receiver stands on the same or a later device
      for (std::size_t d = 0; d < k_; ++d) pass(d, least), least = std::min(least, part_[d]);
    } else {
      for (std::size_t d = k_; d-- > 0;) pass(d, least), least = std::min(least, part_[d]);
    }
  }

  /// What comes before and behind every element, over any number of edges.
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
  std::size_t nodes_left_;
  std::size_t nodes_ = 0;
  function_ref<bool()> stop_;
  std::vector<ticks> attached_;       // of every element and device
  std::vector<ticks> placed_weight_;  // of every element, of its links to placed ones
  std::vector<communication_elements::weights> held_;
  std::vector<std::size_t> members_;
  devices device_of_;
  std::vector<std::size_t> place_;  // of every element, in the order
  std::vector<std::size_t> order_{};
  std::vector<std::vector<std::size_t>> first_{};  // of every depth and element
  std::vector<std::vector<std::size_t>> last_{};
  std::vector<std::vector<std::uint32_t>> before_{};
  std::vector<std::vector<std::uint32_t>> after_{};
  std::vector<ticks> costs_{};
  std::vector<ticks> part_{};
  std::optional<devices> best_{};
  std::size_t pinned_ = 0;
  ticks below_ = unlimited;
  ticks root_bound_ = 0;
  bool any_ = false;
  bool found_ = false;
  bool stopped_ = false;
  bool proved_ = false;
};

}  // namespace stagecut::inline v0::detail
