// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

// Validation of durations of passes, messages and updates.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects durations whose sum overflows.
[[noreturn]] inline void refuse_sum() {
  fail(invalid_input("times", "the sum of all passes and transfers is not representable"));
}

/// Whether the value is a valid duration of a pass.
template <class T>
[[nodiscard]] bool is_duration(T value) noexcept {
  return is_finite(value) && !is_negative(value);
}

/// @throws invalid_input for the first that is NaN, infinite or negative
template <class T>
void check_durations(std::string_view name, const std::vector<T>& values) {
  std::uint64_t wrong = 0;  // counted without a branch, several at once
  for (const T value : values) wrong += detail::is_duration(value) ? 0U : 1U;
  if (wrong == 0) return;
  std::size_t at = 0;
  while (detail::is_duration(values[at])) ++at;
  fail(invalid_input(joined({name, "[", at, "]"}), joined({is_nan(values[at])      ? "NaN"
                                                           : is_finite(values[at]) ? std::to_string(values[at])
                                                                                   : "infinity",
                                                           ", must be finite and not negative"})));
}

/// The duration of two passes together.
template <class T>
[[nodiscard]] T duration_sum(T a, T b) {
  if constexpr (integer<T>) {
    if (!checked_add(a, b)) refuse_sum();
    return a;
  } else {
    return a + b;
  }
}

/// Rejects times that the task graph does not use.
[[noreturn]] inline void refuse_unasked(std::string_view name, std::string_view what) {
  fail(invalid_input(name, joined({what, " what the task graph was made for"})));
}

/// Rejects any other length.
STAGECUT_DECL void refuse_length(std::string_view name, std::size_t length, std::size_t right);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/check_durations.ipp>
#endif
