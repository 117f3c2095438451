// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The prefixes of an additive cost, each evaluated once. Even if the model breaks its promises, they never decrease, and
/// all costs are finite.
template <arithmetic Cost>
class known_prefixes {
 public:
  using axioms = stagecut::axioms<additive>;

  template <additive_cost Model>
  explicit known_prefixes(const Model& cost) : prefix_(cost.size() + 1) {
    for (std::size_t i = 0; i < prefix_.size(); ++i) {
      const Cost prefix = cost.prefix(i);
      const bool first = i == 0;
      const Cost before = first ? Cost{} : prefix_[i - 1];
      prefix_[i] = is_finite(prefix) && (first || (before < prefix && is_cost(prefix))) ? prefix : before;
    }
  }

  [[nodiscard]] std::size_t size() const { return prefix_.size() - 1; }
  [[nodiscard]] Cost prefix(std::size_t i) const { return prefix_[i]; }
  [[nodiscard]] Cost operator()(std::size_t first, std::size_t last) const { return between(first, prefix_[last]); }

  /// The cost of the items from `first` to the point where the prefix is `end`.
  [[nodiscard]] Cost between(std::size_t first, Cost end) const {
    return static_cast<Cost>(detail::difference(end, prefix_[first]));
  }

 private:
  /// Whether the cost of the items up to a prefix above the first is a number.
  [[nodiscard]] bool is_cost(Cost prefix) const {
    const Cost all = between(0, prefix);
    return is_finite(all) && !is_negative(all);
  }

  std::vector<Cost> prefix_;
};

/// The possible positions of the cut points of a chain if each of its k non-empty stages has a lower and an upper bound
/// on its cost: docs/chains.md, "How far stages reach" and "Max − min".
template <arithmetic Cost>
class stage_windows {
 public:
  stage_windows(const known_prefixes<Cost>& chain, std::size_t stages)
      : chain_(chain), near_(stages + 1), far_(stages + 1), near_end_(stages + 1), far_end_(stages + 1) {
    near_[stages] = far_[stages] = near_end_[stages] = far_end_[stages] = chain.size();
  }

  [[nodiscard]] const known_prefixes<Cost>& chain() const { return chain_; }
  [[nodiscard]] std::size_t stages() const { return near_.size() - 1; }

  /// Requires that all stages cost at least `least`; false if no cut has such stages. From both ends, each stage takes as
  /// few items as possible.
  [[nodiscard]] bool at_least(Cost least) {
    for (std::size_t p = 1; p <= stages(); ++p) {
      near_[p] = detail::gallop(p == stages() ? items() : near_[p - 1] + 1, items() - (stages() - p), near_[p],
                                [&](std::size_t j) { return least <= chain_(near_[p - 1], j); });
      if (!(least <= chain_(near_[p - 1], near_[p]))) return false;
    }
    for (std::size_t p = stages() - 1; p > 0; --p) {
      far_end_[p] = detail::gallop(p + 1, far_end_[p + 1], far_end_[p] + 1,
                                   [&](std::size_t i) { return !(least <= chain_(i, far_end_[p + 1])); }) -
                    1;
    }
    return true;
  }

  /// Requires that all stages cost at most `most`. From both ends, each stage takes as many items as possible.
  void at_most(Cost most) {
    for (std::size_t p = 1; p < stages(); ++p) {
      far_[p] = detail::rightmost_end(far_[p - 1] + 1, items() - (stages() - p), far_[p],
                                      [&](std::size_t j) { return chain_(far_[p - 1], j) <= most; });
    }
    for (std::size_t p = stages() - 1; p > 0; --p) {
      near_end_[p] = detail::gallop(p, near_end_[p + 1] - 1, near_end_[p],
                                    [&](std::size_t i) { return chain_(i, near_end_[p + 1]) <= most; });
    }
  }

  /// The ends of the window of cut point p; empty if `low` is above `high`.
  /// @{
  [[nodiscard]] std::size_t low(std::size_t p) const { return near_[p] < near_end_[p] ? near_end_[p] : near_[p]; }
  [[nodiscard]] std::size_t high(std::size_t p) const { return far_[p] < far_end_[p] ? far_[p] : far_end_[p]; }
  /// @}

 private:
  [[nodiscard]] std::size_t items() const { return chain_.size(); }

  const known_prefixes<Cost>& chain_;
  std::vector<std::size_t> near_;      // smallest cut points that the stages before them allow
  std::vector<std::size_t> far_;       // largest cut points that the stages before them allow
  std::vector<std::size_t> near_end_;  // smallest cut points that the stages after them allow
  std::vector<std::size_t> far_end_;   // largest cut points that the stages after them allow
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
