// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Which items may be a stage, beside what they cost: `c(stage, first, last)`, true if `[first, last)` may.
///
/// One that promises `hereditary` allows each part of an interval that it allows, and spares algorithms all wider ones
/// after the first that it forbids. One that is not hereditary may have a member `c.hopeless(stage, first, last)`, true
/// if no `[first, j)` with `j >= last` is allowed, to the same end.
///
/// A member `c.obstacle(items, stages)`, an optional `reason`, may tell from these numbers alone that no cut is allowed.
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

/// Whether no interval `[first, j)` with `j >= last` is allowed, as far as the constraint tells; `allowed` is what it
/// says of `[first, last)`.
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

/// A constraint that is somebody else's, for where a copy of it would be kept.
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
