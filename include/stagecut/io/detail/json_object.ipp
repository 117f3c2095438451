// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/json_object.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL void refuse_to_write(std::string_view place, std::string_view value, std::string_view requirement) {
  fail(argument_error("io::as_json", place, value, requirement));
}

STAGECUT_DECL void json_object::text(std::string_view key, const std::string& value) {
  if (!is_utf8(value)) refuse_to_write(at(key), in_quotes(value), "must be UTF-8");
  set(key, value);
}

STAGECUT_DECL void json_object::amount(std::string_view key, double value) {
  if (!is_finite(value) || is_negative(value)) {
    refuse_to_write(at(key),
                    is_finite(value) ? json(value).dump()
                    : is_nan(value)  ? "NaN"
                                     : "infinity",
                    "must be finite and not negative");
  }
  set(key, json_number(value));
}

STAGECUT_DECL void json_object::unknown(const std::string& fields, view<const std::string_view> known) {
  if (fields.empty()) return;
  const json parsed = read_json(fields, unknown_depth({.depth = most_depth_written})).value;
  if (!parsed.is_object()) {
    refuse_to_write(at("unknown_fields"), in_quotes(fields), "must be a JSON object, and not nested too deep");
  }
  for (const auto& [key, value] : parsed.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) {
      refuse_to_write(at("unknown_fields"), in_quotes(fields), joined({"must not hold ", in_quotes(key)}));
    }
    append_member(members_, key, value);
  }
}

STAGECUT_DECL std::string json_object::at(std::string_view key) const { return joined({place_, json_step(key)}); }

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
