// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <stagecut/core/arithmetic.hpp>

#include <nlohmann/json.hpp>

// JSON as the writers of this library write it.
namespace stagecut::inline STAGECUT_ABI::io {

/// A value on one line, with a space after each comma and colon, the members in their order.
/// @throws nlohmann::json::type_error for a text that is not UTF-8
[[nodiscard]] inline std::string json_line(const nlohmann::ordered_json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text(1, value.is_object() ? '{' : '[');
  for (const auto& [key, element] : value.items()) {
    if (text.size() > 1) text += ", ";
    if (value.is_object()) text.append(nlohmann::ordered_json(key).dump()).append(": ");
    text += json_line(element);
  }
  return text += value.is_object() ? '}' : ']';
}

/// A number as it is written: without a fraction where it has none and is exact as a whole number; NaN and infinity,
/// which JSON has not, as `null`.
[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (is_finite(value) && value == std::floor(value) && std::abs(value) <= 9007199254740992.0)
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
