// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/cost/constraint.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A type-erased reference to a constraint: code that calls it rarely is compiled once for all constraints. It promises
/// nothing, but has `hopeless`.
class any_constraint {
 public:
  /// @param constraint  must outlive this object
  template <stage_constraint Constraint>
  requires(!std::same_as<Constraint, any_constraint>) explicit any_constraint(const Constraint& constraint)
      : constraint_(__builtin_addressof(constraint)),
        allows_([](const void* self, std::size_t stage, std::size_t first, std::size_t last) {
          return static_cast<bool>((*static_cast<const Constraint*>(self))(stage, first, last));
        }),
        hopeless_([](const void* self, std::size_t stage, std::size_t first, std::size_t last) {
          return detail::hopeless(*static_cast<const Constraint*>(self), stage, first, last, false);
        }) {}

  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return allows_(constraint_, stage, first, last);
  }
  /// @pre it rejects `[first, last)`
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return hopeless_(constraint_, stage, first, last);
  }

 private:
  using question = bool (*)(const void*, std::size_t, std::size_t, std::size_t);

  const void* constraint_;
  question allows_;
  question hopeless_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
