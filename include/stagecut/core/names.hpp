// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A word in files and on command lines, and its value: a row of a table such as `transfer_kind_names`.
template <class Value>
struct named {
  const char* name;  ///< the word
  Value value;       ///< its value
};

/// The row with that name in a table; null if there is none. O(rows).
/// @param rows  an array of rows with a member `name`: of `word`, or of a larger type, as `schedules`
/// @param name  of the row
template <class Rows>
[[nodiscard]] constexpr auto find_name(const Rows& rows, std::string_view name) noexcept -> decltype(&rows[0]) {
  for (const auto& row : rows) {
    if (std::string_view(row.name) == name) return &row;
  }
  return nullptr;
}

/// The word for a value; `?` if there is none. O(rows).
template <class Value, std::size_t n>
[[nodiscard]] constexpr const char* name_of(const named<Value> (&words)[n], const Value& value) noexcept {
  for (const named<Value>& entry : words) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

/// The names in a table, for an error: `gpipe, 1f1b, zbv`.
/// @param rows  as above
/// @param last  separator before the last of them: `" or "`
/// @param keep  whether to list a row
template <class Rows, class Keep>
[[nodiscard]] std::string list_names(const Rows& rows, std::string_view last, const Keep& keep) {
  std::string text;
  std::string_view held;  // the latest, whose separator is not yet known
  for (const auto& row : rows) {
    if (!keep(row)) continue;
    if (!held.empty()) text.append(text.empty() ? "" : ", ").append(held);
    held = row.name;
  }
  return text.append(text.empty() ? "" : last).append(held);
}

/// All of them.
template <class Rows>
[[nodiscard]] std::string list_names(const Rows& rows, std::string_view last = ", ") {
  return stagecut::list_names(rows, last, [](const auto&) { return true; });
}

}  // namespace stagecut::inline STAGECUT_ABI
