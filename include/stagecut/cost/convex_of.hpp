// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The cost of a stage as a convex function of the sum of its items: `x * x` levels the stages, `x > a ? x - a : 0`
/// charges what is above a target.
///
/// Promises `monge`, which holds for every convex function of a sum, and no more: a convex function may fall. Holds a
/// copy of what it is made of.
template <additive_cost Sums, class Function>
requires requires(const Function& function, cost_t<Sums> sum) {
  { function(sum) } -> std::totally_ordered;
}
class convex_of {
 public:
  /// A convex function of sums keeps the quadrangle inequality.
  using axioms = stagecut::axioms<monge, stage_invariant>;

  /// @param sums    what the function is applied to: `prefix_sums`, or an additive model of your own
  /// @param convex  `convex(sum)`, convex from 0 to the sum of all items and a rounding beyond, never NaN there;
  ///                pure
  convex_of(Sums sums, Function convex) : sums_(std::move(sums)), function_(std::move(convex)) {}

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return sums_.size(); }

  /// The function of the sum of the items `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] auto operator()(std::size_t first, std::size_t last) const { return function_(sums_(first, last)); }

  /// What it is made of.
  /// @{
  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }
  [[nodiscard]] const Function& function() const noexcept { return function_; }
  /// @}

 private:
  Sums sums_;
  Function function_;
};

}  // namespace stagecut::inline STAGECUT_ABI
