// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A problem in a plan, with its position.
struct plan_fault {
  std::string pointer{};  ///< JSON pointer in the plan
  std::string what{};     ///< the value there
  std::string problem{};  ///< the problem; empty: none

  /// Whether there is a problem.
  explicit operator bool() const noexcept { return !problem.empty(); }
};

[[nodiscard]] inline std::string number_text(std::size_t number) { return std::to_string(number); }

/// A JSON pointer to an element, and beyond.
[[nodiscard]] inline std::string element_at(std::string_view of, std::size_t i, std::string_view on = "");

[[nodiscard]] inline plan_fault not_below(std::string pointer, std::size_t value, std::string_view of,
                                          std::size_t bound);

inline std::string element_at(std::string_view of, std::size_t i, std::string_view on) {
  return joined({of, "/", number_text(i), on});
}

inline plan_fault not_below(std::string pointer, std::size_t value, std::string_view of, std::size_t bound) {
  return {std::move(pointer), number_text(value),
          joined({"is not below the number of ", of, ", ", number_text(bound)})};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
