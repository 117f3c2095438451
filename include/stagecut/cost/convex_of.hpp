// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The cost of a stage as a convex function of the sum of its items: `x * x` balances the stages, `x > a ? x - a : 0`
/// charges the excess over a target.
///
/// Promises only `monge`, which holds for every convex function of a sum: a convex function may decrease.
template <additive_cost Sums, class Function>
requires requires(const Function& function, cost_t<Sums> sum) {
  { function(sum) } -> std::totally_ordered;
}
class convex_of {
 public:
  /// A convex function of sums satisfies the quadrangle inequality.
  using axioms = stagecut::axioms<monge, stage_invariant>;

  /// @param sums    the function's arguments: `prefix_sums`, or your own additive model; copied, or referred to if given
  ///                as `std::cref(sums)`
  /// @param convex  `convex(sum)`, convex from 0 to the sum of all items plus a rounding, never NaN there; pure
  convex_of(Sums sums, Function convex) : sums_(std::forward<Sums>(sums)), function_(std::move(convex)) {}
  convex_of(std::remove_reference_t<Sums>&&, Function) requires std::is_reference_v<Sums>
  = delete;  // the temporary would die before use

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return sums_->size(); }

  /// The function of the sum of the items `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] auto operator()(std::size_t first, std::size_t last) const { return function_((*sums_)(first, last)); }

  /// Its arguments.
  /// @{
  [[nodiscard]] const std::remove_cvref_t<Sums>& sums() const noexcept { return *sums_; }
  [[nodiscard]] const Function& function() const noexcept { return function_; }
  /// @}

 private:
  detail::holder<Sums> sums_;
  Function function_;
};

/// The type, deduced from `std::cref(sums)`.
template <detail::reference_wrapper Wrapper, class Function>
convex_of(Wrapper, Function) -> convex_of<detail::wrapped_t<Wrapper>, Function>;

}  // namespace stagecut::inline STAGECUT_ABI
