// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Several stages with the same cost.
template <class Cost>
struct equal_costs {
  Cost cost;
  std::size_t times;  ///< their number
};

/// Costs, the costliest first.
template <class Cost>
using cost_list = std::vector<equal_costs<Cost>>;

/// The position in a list of the first cost that is at most `cost`.
template <class Cost>
[[nodiscard]] std::size_t place_of(const cost_list<Cost>& list, const Cost& cost) {
  return detail::gallop(0, list.size(), 0, [&](std::size_t i) { return !(cost < list[i].cost); });
}

/// A list with one additional cost, in decreasing order.
template <class Cost>
class cost_cursor {
 public:
  cost_cursor(const Cost& more, const cost_list<Cost>& list) : more_(more), list_(list) {}

  [[nodiscard]] bool done() const { return placed_ && at_ == list_.size(); }
  /// @pre not at the end
  [[nodiscard]] std::pair<const Cost*, std::size_t> next() {
    const bool last = at_ == list_.size();
    if (placed_ || (!last && more_ < list_[at_].cost)) {
      const auto& here = list_[at_++];
      return {__builtin_addressof(here.cost), here.times};
    }
    placed_ = true;
    if (last || list_[at_].cost < more_) return {__builtin_addressof(more_), 1};
    const auto& here = list_[at_++];
    return {__builtin_addressof(here.cost), here.times + 1};
  }

 private:
  const Cost& more_;
  const cost_list<Cost>& list_;
  std::size_t at_ = 0;
  bool placed_ = false;
};

/// Compares two lists of the same length: 1 if the first is greater, -1 if the second; and the first cost in which they
/// differ, null if they are equal.
template <class Cost>
[[nodiscard]] std::pair<int, const Cost*> compare_costs(cost_cursor<Cost> first, cost_cursor<Cost> second) {
  while (!first.done() && !second.done()) {
    const auto [a, times_a] = first.next();
    const auto [b, times_b] = second.next();
    if (*b < *a) return {1, a};
    if (*a < *b) return {-1, b};
    if (times_a != times_b) return {times_b < times_a ? 1 : -1, a};
  }
  return {0, nullptr};
}

/// The possible first items of a stage, one column each, and how the best costs of the suffixes differ from column to
/// column: see `leximax_program`. Columns are added from right to left.
template <class Cost>
class leximax_suffixes {
 public:
  void push(std::size_t item) {
    items_.push_back(item);
    steps_.emplace_back();
  }
  /// The costs from the last column on are less, by that step, than those from the previous one on; null: they are the
  /// same.
  void add_step(const Cost* step) {
    if (step != nullptr) steps_.back() = *step;
  }
  /// The costs are greater.
  void rise() { falls_ = false; }

  /// Reverses the columns; from here on column 0 is the leftmost.
  void finish() {
    for (std::size_t t = 0; t < size() / 2; ++t) {
      std::swap(items_[t], items_[size() - 1 - t]);
      std::swap(steps_[t], steps_[size() - 1 - t]);
    }
    costs_.resize(size());
    rises_.assign(size(), size());
    next_.assign(size() + 1, size());
    std::vector<std::size_t> open;  // columns whose next rise is not known yet
    for (std::size_t t = 0; t < size(); ++t) {
      if (!steps_[t]) {
        open.push_back(t);
        continue;
      }
      while (!open.empty() && (!steps_[open.back()] || *steps_[open.back()] < *steps_[t])) {
        rises_[open.back()] = t;
        open.pop_back();
      }
      open.push_back(t);
    }
    for (std::size_t t = size(); t-- > 0;) next_[t] = steps_[t] ? t : next_[t + 1];
  }

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t item(std::size_t t) const { return items_[t]; }
  /// Whether costs never increase from column to column.
  [[nodiscard]] bool falls() const { return falls_; }
  /// The first cost in which column t and the next differ; null if they are equal, and for the last column.
  [[nodiscard]] const Cost* step(std::size_t t) const { return steps_[t] ? __builtin_addressof(*steps_[t]) : nullptr; }
  /// Whether that step is above another one.
  [[nodiscard]] bool rises(std::size_t t, const Cost* above) const {
    return steps_[t] && (above == nullptr || *above < *steps_[t]);
  }
  /// The next column with a greater step than column t; the number of columns if there is none.
  [[nodiscard]] std::size_t next_rise(std::size_t t) const { return rises_[t]; }
  /// The first column from t on with a step.
  [[nodiscard]] std::size_t next_step(std::size_t t) const { return next_[t]; }

  /// The costs from column t on, empty unless known.
  [[nodiscard]] cost_list<Cost>& costs(std::size_t t) { return costs_[t]; }
  /// The costs from an item on; null unless known.
  [[nodiscard]] const cost_list<Cost>* known_costs(std::size_t item) const {
    const std::size_t t = detail::gallop(0, size(), 0, [&](std::size_t i) { return item <= items_[i]; });
    return t < costs_.size() && !costs_[t].empty() ? costs_.data() + t : nullptr;
  }

 private:
  std::vector<std::size_t> items_;
  std::vector<std::optional<Cost>> steps_;
  std::vector<std::size_t> rises_;
  std::vector<std::size_t> next_;
  std::vector<cost_list<Cost>> costs_;
  bool falls_ = true;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
