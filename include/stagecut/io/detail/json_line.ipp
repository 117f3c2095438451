// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_line.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include <stagecut/core/arithmetic.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string json_line(const nlohmann::ordered_json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text(1, value.is_object() ? '{' : '[');
  for (const auto& [key, element] : value.items()) {
    if (text.size() > 1) text += ", ";
    if (value.is_object()) text.append(nlohmann::ordered_json(key).dump()).append(": ");
    text += json_line(element);
  }
  return text += value.is_object() ? '}' : ']';
}

STAGECUT_DECL nlohmann::ordered_json json_number(double value) {
  if (is_finite(value) && value == std::floor(value) && std::abs(value) <= 9007199254740992.0)
    return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
