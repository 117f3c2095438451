// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Files are written to be readable within this limit of depth.
inline constexpr std::size_t most_depth_written = 1000;

/// Rejects output that could not be read back.
[[noreturn]] inline void refuse_to_write(std::string_view place, std::string_view value, std::string_view requirement);

/// An object to be written. Rejects values that could not be read back, with their position.
class json_object {
 public:
  /// @param place  the object's name in errors: `model#/layers/3`
  explicit json_object(std::string place) : place_(std::move(place)) {}

  /// A member that needs no check.
  void set(std::string_view key, json value) { members_[std::string(key)] = std::move(value); }

  /// A text.
  void text(std::string_view key, const std::string& value);
  /// A text, omitted if it is empty.
  void text_if_any(std::string_view key, const std::string& value) {
    if (!value.empty()) text(key, value);
  }

  /// A number.
  void amount(std::string_view key, double value);
  /// A number, omitted if it is unset.
  void amount(std::string_view key, const std::optional<double>& value) {
    if (value) amount(key, *value);
  }

  /// The members of `fields`, an empty text or a JSON object without `known` keys.
  void unknown(const std::string& fields, view<const std::string_view> known);

  /// The name of a member in errors.
  [[nodiscard]] std::string at(std::string_view key) const;

  /// The object.
  [[nodiscard]] const json& members() const noexcept { return members_; }

 private:
  std::string place_;
  json members_ = json::object();
};

inline void refuse_to_write(std::string_view place, std::string_view value, std::string_view requirement) {
  fail(argument_error("io::as_json", place, value, requirement));
}

inline void json_object::text(std::string_view key, const std::string& value) {
  if (!is_utf8(value)) refuse_to_write(at(key), in_quotes(value), "must be UTF-8");
  set(key, value);
}

inline void json_object::amount(std::string_view key, double value) {
  if (!is_finite(value) || is_negative(value)) {
    refuse_to_write(at(key),
                    is_finite(value) ? json(value).dump()
                    : is_nan(value)  ? "NaN"
                                     : "infinity",
                    "must be finite and not negative");
  }
  set(key, json_number(value));
}

inline void json_object::unknown(const std::string& fields, view<const std::string_view> known) {
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

inline std::string json_object::at(std::string_view key) const { return joined({place_, json_step(key)}); }

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
