// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/json_value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL std::size_t json_nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool inside = false;  // whether inside a string
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      if (c == '"') inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

STAGECUT_DECL std::string json_value::shown() const {
  std::string text = value_->dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= 60) return text;
  std::size_t end = 60;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;  // whole characters
  return joined({text.substr(0, end), "..."});
}

STAGECUT_DECL const json_value& json_value::object() const {
  if (!value_->is_object()) fail(shown(), " is no object");
  return *this;
}

STAGECUT_DECL std::optional<json_value> json_value::find(std::string_view key) const {
  const auto found = object().value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return json_value(*found, source_, pointer_ + json_step(key), unknown_depth_);
}

STAGECUT_DECL std::optional<json_value> json_value::find_renamed(std::string_view now, std::string_view former,
                                                                 bool is_former) const {
  const std::string_view name = is_former ? former : now;
  if (const auto other = find(is_former ? now : former)) other->fail("is ", in_quotes(name), " in this schema");
  return find(name);
}

STAGECUT_DECL json_value json_value::at(std::string_view key) const {
  auto found = find(key);
  if (!found) fail(in_quotes(key), " is missing");
  return *std::move(found);
}

STAGECUT_DECL const std::string& json_value::text() const {
  if (!value_->is_string()) fail(shown(), " is no string");
  return value_->get_ref<const std::string&>();
}

STAGECUT_DECL bool json_value::flag() const {
  if (!value_->is_boolean()) fail(shown(), " is neither true nor false");
  return value_->get<bool>();
}

STAGECUT_DECL double json_value::amount() const {
  if (!value_->is_number()) fail(shown(), " is not a number");
  const double value = value_->get<double>();
  if (!is_finite(value)) fail(shown(), " is out of range");
  if (is_negative(value)) fail(shown(), " is negative");
  return value;
}

STAGECUT_DECL std::size_t json_value::count(std::size_t least) const {
  const double value = value_->is_number_unsigned() ? 0 : amount();
  // 2^53: above it, not every integer is a double.
  if (!value_->is_number_unsigned() && (value != std::floor(value) || value > 9007199254740992.0)) {
    fail(shown(), " is no whole number");
  }
  const std::size_t whole = value_->is_number_unsigned() ? value_->get<std::size_t>() : static_cast<std::size_t>(value);
  if (whole < least) fail(shown(), " is below ", std::to_string(least));
  return whole;
}

STAGECUT_DECL std::string json_value::unknown(view<const std::string_view> known) const {
  json rest = json::object();
  for (const auto& [key, value] : object().value_->items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) append_member(rest, key, value);
  }
  if (rest.empty()) return {};
  std::string text = rest.dump();
  if (json_nesting(text) > unknown_depth_) fail("unknown fields are ", depth_problem(unknown_depth_));
  return text;
}

STAGECUT_DECL void json_value::only(view<const std::string_view> known) const {
  each_member([&](std::string_view name, const json_value& member) {
    if (std::find(known.begin(), known.end(), name) == known.end()) member.fail("is not known");
  });
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
