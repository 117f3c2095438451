// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Which intervals may be stages, apart from their costs: `c(stage, first, last)`, true if `[first, last)` is allowed.
///
/// A constraint that promises `hereditary` allows each part of an allowed interval, so algorithms can stop widening at
/// the first rejected one. Other constraints may have a member `c.hopeless(stage, first, last)` for the same purpose,
/// true if no `[first, j)` with `j >= last` is allowed.
///
/// A member `c.obstacle(items, stages)`, an optional `reason`, may prove from these numbers alone that no cut is allowed.
///
/// Axiom: pure, as for `interval_cost`.
template <class C>
concept stage_constraint = requires(const C& c, std::size_t i) {
  { c(i, i, i) } -> std::convertible_to<bool>;
};

namespace detail {

/// Allows everything.
struct no_constraint {
  using axioms = stagecut::axioms<hereditary, stage_invariant>;
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool operator()(std::size_t, std::size_t, std::size_t) const noexcept {
    return true;
  }
};

/// Whether no interval `[first, j)` with `j >= last` is known to be allowed; `allowed` is the constraint's result for
/// `[first, last)`.
template <stage_constraint C>
[[nodiscard]] constexpr bool hopeless(const C& constraint, std::size_t stage, std::size_t first, std::size_t last,
                                      bool allowed) {
  if constexpr (promises<C, hereditary>) {
    return !allowed;
  } else if constexpr (requires { constraint.hopeless(stage, first, last); }) {
    return !allowed && constraint.hopeless(stage, first, last);
  } else {
    return false;
  }
}

/// A reference to a constraint, to avoid a copy.
template <stage_constraint C>
class constraint_ref {
 public:
  using axioms = axiom<enable_axioms<C>.bits>;

  explicit constexpr constraint_ref(const C& constraint) noexcept : constraint_(__builtin_addressof(constraint)) {}

  [[nodiscard]] constexpr bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return (*constraint_)(stage, first, last);
  }
  [[nodiscard]] constexpr bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::hopeless(*constraint_, stage, first, last, (*this)(stage, first, last));
  }
  [[nodiscard]] auto obstacle(std::size_t items, std::size_t stages) const requires requires(const C& constraint) {
    constraint.obstacle(items, stages);
  }
  { return constraint_->obstacle(items, stages); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed(*constraint_, memory);
  }

 private:
  const C* constraint_;
};

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
