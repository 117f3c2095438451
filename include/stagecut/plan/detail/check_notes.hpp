// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/plan/plan_verification.hpp>

// How checks of plans compare figures and record findings.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether two sums of the same numbers are equal up to rounding: within 10^-9 of the larger one. Planners take
/// differences of sums over the whole model, so 10^-12 of `whole` is also allowed.
[[nodiscard]] inline bool nearly_equal(double a, double b, double whole = 0) noexcept {
  if (!is_finite(a) || !is_finite(b)) return false;
  const double apart = a < b ? b - a : a - b;
  const double size_a = a < 0 ? -a : a;
  const double size_b = b < 0 ? -b : b;
  return apart <= 1e-9 * (size_a < size_b ? size_b : size_a) + 1e-12 * whole;
}

/// Whether `a` is above `b` by more than rounding.
[[nodiscard]] inline bool clearly_above(double a, double b, double whole = 0) noexcept {
  return !(a <= b) && !nearly_equal(a, b, whole);
}

/// The finding of a check: the first violation; else the first reason why something was not checked; else its figures.
class check_notes {
 public:
  explicit check_notes(const char* name) { result_.name = name; }

  [[nodiscard]] bool is_broken() const noexcept { return result_.result == check_result::broken; }
  [[nodiscard]] bool holds() const noexcept { return result_.result == check_result::holds; }

  /// Records a violation.
  void broken(std::string_view place, std::string_view why) {
    if (is_broken()) return;
    result_.result = check_result::broken;
    result_.place = place;
    result_.why = why;
    result_.claimed.reset();
    result_.recomputed.reset();
  }

  /// Records a wrong figure.
  void broken(std::string_view place, std::string_view why, double claimed, double recomputed) {
    if (is_broken()) return;
    broken(place, why);
    result_.claimed = claimed;
    result_.recomputed = recomputed;
  }

  /// Records a violation if the figures are not nearly equal.
  void compare(std::string_view place, std::string_view why, double claimed, double recomputed, double whole = 0) {
    if (!nearly_equal(claimed, recomputed, whole)) broken(place, why, claimed, recomputed);
  }

  /// Records that something cannot be checked.
  void not_checked(std::string_view place, std::string_view why) {
    if (!holds()) return;
    result_.result = check_result::not_checked;
    result_.place = place;
    result_.why = why;
  }

  /// The figures to show if nothing is broken.
  void figures(std::optional<double> claimed, std::optional<double> recomputed) {
    if (is_broken()) return;
    result_.claimed = claimed;
    result_.recomputed = recomputed;
  }

  [[nodiscard]] plan_check take() { return std::move(result_); }

 private:
  plan_check result_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
