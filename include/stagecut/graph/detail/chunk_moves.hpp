// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/engine/annealing.hpp>
#include <stagecut/graph/detail/device_loads.hpp>
#include <stagecut/graph/detail/placed_chunks.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Simulated annealing of a sequence of chunks: elements move between chunks, and chunks change devices, at random, to
/// reduce the sum of high powers of the devices' loads. Violated rules count as a penalty; the best state without
/// violations is kept.
class chunk_moves {
 public:
  using element = precedence::element;

  /// @param below  which elements may not be on later chunks than others
  /// @param costs  of devices, whose numbers are stage numbers
  /// @param from   the initial state; every device has the maximum number of chunks, including empty ones
  /// @param rules  constraints on devices
  /// @param unit   about the load that is sought; the objects must outlive this one
  chunk_moves(const precedence& below, const operator_costs& costs, const placed_chunks& from,
              const device_rules& rules, double unit, engine::seeded& random)
      : below_(below),
        random_(random),
        place_(from.chunk_of),
        device_(from.device_of),
        loads_(costs, from, rules, unit),
        by_position_(costs.by_position()),
        marked_(from.chunk_of.size()) {
    members_.resize(device_.size());
    slot_.resize(place_.size());
    for (std::size_t e = 0; e < place_.size(); ++e) enlist(e);
    note();
  }

  /// Anneals: makes one random change after the other.
  void anneal(std::size_t steps, double hot, const function_ref<bool()>& stop) {
    engine::annealing heat(hot, steps);
    for (std::size_t i = 0; i < steps; ++i, heat.cool()) {
      if (i % 1024 == 0 && stop && stop()) return;
      limit_ = heat.limit(random_);
      const std::size_t kind = random_.below(16);
      if (kind < 8) {
        move_one();
      } else if (kind < 13) {
        push();
      } else if (kind < 15) {
        if (by_position_ && random_.below(4) == 0) change_roles();
        swap_devices();
      } else {
        shift_empty();
      }
    }
  }

  /// The best state without violations; its value is the greatest number if there was none.
  [[nodiscard]] const placed_chunks& best() const noexcept { return best_; }

 private:
  [[nodiscard]] std::size_t places() const noexcept { return device_.size(); }

  /// Moves one element into another chunk that its precedence allows.
  void move_one() {
    const std::size_t e = random_.below(place_.size());
    std::size_t least = 0;
    std::size_t most = places() - 1;
    for (const element from : below_.predecessors(e)) least = std::max<std::size_t>(least, place_[from]);
    for (const element to : below_.successors(e)) most = std::min<std::size_t>(most, place_[to]);
    if (least == most) return;
    const std::size_t to = least + random_.below(most - least);
    moved_.clear();
    moved_.emplace_back(static_cast<element>(e), place_[e]);
    decide(to < place_[e] ? to : to + 1);
  }

  /// Moves an element and all its successors in the way into a later chunk; or its predecessors into an earlier one.
  void push() {
    const std::size_t e = random_.below(place_.size());
    const std::size_t far = random_.below(4) == 0 ? places() : std::size_t{3};
    const std::size_t by = 1 + random_.below(far);
    const bool back = random_.below(2) == 0;
    if (back ? place_[e] < by : place_[e] + by >= places()) return;
    const std::size_t to = back ? place_[e] - by : place_[e] + by;
    moved_.clear();
    take_along(e);
    for (std::size_t i = 0; i < moved_.size() && moved_.size() <= most_at_once; ++i) {
      const element now = moved_[i].first;
      for (const element next : back ? below_.predecessors(now) : below_.successors(now)) {
        if (marked_[next] || (back ? place_[next] <= to : place_[next] >= to)) continue;
        take_along(next);
      }
    }
    for (const auto& each : moved_) marked_[each.first] = false;
    if (moved_.size() <= most_at_once) decide(to);
  }
  void take_along(std::size_t e) {
    marked_[e] = true;
    moved_.emplace_back(static_cast<element>(e), place_[e]);
  }

  /// Moves the elements of `moved_` to a place, and back if the change is rejected.
  void decide(std::size_t to) {
    for (const auto& each : moved_) put(each.first, to);
    if (loads_.accept(limit_)) return note();
    for (std::size_t i = moved_.size(); i-- > 0;) put(moved_[i].first, moved_[i].second);
    loads_.restore();
  }
  void put(std::size_t e, std::size_t to) {
    std::vector<element>& here = members_[place_[e]];
    here[slot_[e]] = here.back();
    slot_[here.back()] = slot_[e];
    here.pop_back();
    loads_.move(e, place_[e], to);
    place_[e] = static_cast<std::uint32_t>(to);
    enlist(e);
  }
  void enlist(std::size_t e) {
    slot_[e] = static_cast<std::uint32_t>(members_[place_[e]].size());
    members_[place_[e]].push_back(static_cast<element>(e));
  }

  /// Swaps the devices of two chunks.
  void swap_devices() {
    const std::size_t a = random_.below(places());
    const std::size_t b = random_.below(places());
    if (device_[a] == device_[b] || members_[a].size() + members_[b].size() > 4 * most_at_once) return;
    swap(a, b);
    if (loads_.accept(limit_)) return note();
    swap(a, b);
    loads_.restore();
  }
  void swap(std::size_t a, std::size_t b) {
    loads_.swap(a, members_[a], b, members_[b]);
    std::swap(device_[a], device_[b]);
  }

  /// Swaps the contents of two devices, or their kinds.
  void change_roles() {
    const std::size_t a = random_.below(loads_.kinds().size());
    const std::size_t b = random_.below(loads_.kinds().size());
    const bool kinds = random_.below(2) == 0;
    const bool contents = random_.below(2) == 0;
    if (a == b || (kinds ? loads_.kinds()[a] == loads_.kinds()[b] : !contents)) return;
    change(a, b, contents, kinds);
    if (loads_.accept(limit_)) return note();
    change(a, b, contents, kinds);
    loads_.restore();
  }
  void change(std::size_t a, std::size_t b, bool contents, bool kinds) {
    loads_.change_roles(a, b, contents, kinds, place_);
    for (std::uint32_t& device : device_) {
      if (contents && (device == a || device == b)) device = static_cast<std::uint32_t>(device == a ? b : a);
    }
  }

  /// Moves an empty chunk to another place.
  void shift_empty() {
    const std::size_t from = random_.below(places());
    const std::size_t to = random_.below(places());
    if (from == to || !members_[from].empty()) return;
    for (std::size_t at = from; at != to;) {
      const std::size_t next = at < to ? at + 1 : at - 1;
      std::swap(device_[at], device_[next]);
      std::swap(members_[at], members_[next]);
      for (const element e : members_[at]) place_[e] = static_cast<std::uint32_t>(at);
      loads_.exchange(at, next);
      at = next;
    }
  }

  void note() {
    if (loads_.wrong() || loads_.heaviest() >= best_.value) return;
    best_.chunk_of = place_;
    best_.device_of = device_;
    best_.kinds = loads_.kinds();
    best_.value = loads_.heaviest();
  }

  static constexpr std::size_t most_at_once = 256;

  const precedence& below_;
  engine::seeded& random_;
  std::vector<std::uint32_t> place_;   // place of each element's chunk
  std::vector<std::uint32_t> device_;  // device of the chunk at each place
  device_loads loads_;
  bool by_position_;                                        // whether it matters which device is which
  std::vector<std::vector<element>> members_{};             // of each place
  std::vector<std::uint32_t> slot_{};                       // position of each element in these
  std::vector<std::pair<element, std::uint32_t>> moved_{};  // with the places before
  std::vector<bool> marked_;
  double limit_ = 0;
  placed_chunks best_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
