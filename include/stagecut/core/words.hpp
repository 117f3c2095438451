// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A word that files and command lines use, and what it stands for: a row of a table such as `transfer_kind_words`.
template <class Value>
struct word {
  const char* name;  ///< the word
  Value value;       ///< what it stands for
};

/// The row of a table that has a name; null: none has. O(rows).
/// @param rows  an array of rows with a member `name`: of `word`, or of more figures, as `schedules`
/// @param name  of the row that is looked for
template <class Rows>
[[nodiscard]] constexpr auto find_name(const Rows& rows, std::string_view name) noexcept -> decltype(&rows[0]) {
  for (const auto& each : rows) {
    if (std::string_view(each.name) == name) return &each;
  }
  return nullptr;
}

/// The word for a value; `?` if there is none. O(rows).
template <class Value, std::size_t n>
[[nodiscard]] constexpr const char* name_of(const word<Value> (&words)[n], const Value& value) noexcept {
  for (const word<Value>& each : words) {
    if (each.value == value) return each.name;
  }
  return "?";
}

/// The names of a table for an error: `gpipe, 1f1b, zbv`.
/// @param rows  as above
/// @param last  stands before the last of them: `" or "`
/// @param keep  says of a row whether it is listed
template <class Rows, class Keep>
[[nodiscard]] std::string list_names(const Rows& rows, std::string_view last, const Keep& keep) {
  std::string text;
  std::string_view held;  // the latest, whose separator is not known yet
  for (const auto& each : rows) {
    if (!keep(each)) continue;
    if (!held.empty()) text.append(text.empty() ? "" : ", ").append(held);
    held = each.name;
  }
  return text.append(text.empty() ? "" : last).append(held);
}

/// All of them.
template <class Rows>
[[nodiscard]] std::string list_names(const Rows& rows, std::string_view last = ", ") {
  return stagecut::list_names(rows, last, [](const auto&) { return true; });
}

}  // namespace stagecut::inline STAGECUT_ABI
