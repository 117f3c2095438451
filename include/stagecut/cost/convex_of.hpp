// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The cost of a stage as a convex function of the sum of its items: `x * x` balances the stages, `x > a ? x - a : 0`
/// charges the excess over a target.
///
/// Promises only `monge`, which holds for every convex function of a sum: a convex function may decrease. Holds copies of
/// its arguments.
template <additive_cost Sums, class Function>
requires requires(const Function& function, cost_t<Sums> sum) {
  { function(sum) } -> std::totally_ordered;
}
class convex_of {
 public:
  /// A convex function of sums satisfies the quadrangle inequality.
  using axioms = stagecut::axioms<monge, stage_invariant>;

  /// @param sums    the function's arguments: `prefix_sums`, or your own additive model
  /// @param convex  `convex(sum)`, convex from 0 to the sum of all items plus a rounding, never NaN there; pure
  convex_of(Sums sums, Function convex) : sums_(std::move(sums)), function_(std::move(convex)) {}

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return sums_.size(); }

  /// The function of the sum of the items `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] auto operator()(std::size_t first, std::size_t last) const { return function_(sums_(first, last)); }

  /// Its arguments.
  /// @{
  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }
  [[nodiscard]] const Function& function() const noexcept { return function_; }
  /// @}

 private:
  Sums sums_;
  Function function_;
};

}  // namespace stagecut::inline STAGECUT_ABI
