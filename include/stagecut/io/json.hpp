// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/text.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline v0::io::detail {

/// Keeps the order of the members.
using json = nlohmann::ordered_json;

/// Deeper texts are refused: whoever writes them means harm to a recursive reader.
inline constexpr int json_depth = 64;

/// One step of a JSON pointer, escaped as RFC 6901 wants it.
[[nodiscard]] inline std::string json_step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
    }
  }
  return step;
}

/// Follows a parser into objects and arrays, and refuses what JSON leaves open: keys that stand twice, endless nesting.
class json_guard {
 public:
  explicit json_guard(std::string_view source) : source_(source) {}

  /// A callback of nlohmann's parser.
  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using enum json::parse_event_t;
    if (event == object_start || event == array_start) {
      if (depth >= json_depth) {
        fail(invalid_input(place(), joined("nested deeper than ", std::to_string(json_depth))));
      }
      open_.push_back({event == array_start, 0, {}});
    } else if (event == key) {
      auto& keys = open_.back().keys;
      const auto& name = parsed.get_ref<const std::string&>();
      keys.push_back(name);
      if (std::find(keys.begin(), keys.end() - 1, name) != keys.end() - 1) {
        fail(invalid_input(place(), "stands twice in its object"));
      }
    } else {
      if (event != value) open_.pop_back();
      if (!open_.empty() && open_.back().array) ++open_.back().index;
    }
    return true;
  }

 private:
  struct level {
    bool array;
    std::size_t index;
    std::vector<std::string> keys;
  };

  [[nodiscard]] std::string place() const {
    std::string pointer;
    for (const auto& at : open_) {
      if (at.array) pointer.append("/").append(std::to_string(at.index));
      if (!at.keys.empty()) pointer += json_step(at.keys.back());
    }
    return joined(source_, "#", pointer);
  }

  std::string_view source_;
  std::vector<level> open_;
};

/// Reads a text.
/// @throws invalid_input with `SOURCE:LINE` where it is no JSON, with `SOURCE#POINTER` for a key that stands twice
[[nodiscard]] inline json parse_json(std::string_view text, std::string_view source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  // nlohmann tells the byte of an error only by exceptions, and not of a number out of range: hence `sax_parse` first.
  struct checker : nlohmann::json_sax<json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& error) override {
      at = position;
      near = token;
      what = error.what();
      return false;
    }
    std::size_t at = 0;
    std::string near;
    std::string what;
  } check;
  if (!json::sax_parse(text, &check)) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(check.at, text.size()));
    const auto line = 1 + std::count(text.begin(), end == text.begin() ? end : end - 1, '\n');
    const bool range = check.what.find("out_of_range") != std::string::npos;
    fail(invalid_input(joined(source, ":", std::to_string(line)),
                       range ? "a number is out of range"
                             : joined("no JSON: ", check.at >= text.size() && check.near.empty()
                                                       ? std::string("the text ends too early")
                                                       : joined("unexpected ", in_quotes(check.near)))));
  }
  json_guard guard(source);
  return json::parse(
      text, [&guard](int depth, json::parse_event_t event, json& parsed) { return guard(depth, event, parsed); });
}

/// A value in a JSON text, with its place in errors: `SOURCE#POINTER`. Refers to the text's `json` and source.
class json_value {
 public:
  json_value(const json& value, std::string_view source, std::string pointer = "")
      : value_(&value), source_(source), pointer_(std::move(pointer)) {}

  /// The value itself.
  [[nodiscard]] const json& operator*() const noexcept { return *value_; }

  /// Refuses the value: `PLACE: PROBLEM`.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    detail::fail(invalid_input(joined(source_, "#", pointer_), joined(problem...)));
  }

  /// The value as it is shown in an error.
  [[nodiscard]] std::string shown() const {
    std::string text = value_->dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 60) + "...";
    return text;
  }

  /// Refuses anything but an object.
  const json_value& object() const {
    if (!value_->is_object()) fail(shown(), " is no object");
    return *this;
  }

  /// A member, if the object has it. `null` counts as not there.
  [[nodiscard]] std::optional<json_value> find(std::string_view key) const {
    const auto found = object().value_->find(key);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return json_value(*found, source_, pointer_ + json_step(key));
  }

  /// A member that has to be there.
  [[nodiscard]] json_value at(std::string_view key) const {
    auto found = find(key);
    if (!found) fail(in_quotes(key), " is missing");
    return *std::move(found);
  }

  /// The elements of an array.
  [[nodiscard]] std::vector<json_value> elements() const {
    if (!value_->is_array()) fail(shown(), " is no array");
    std::vector<json_value> result;
    result.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
      result.emplace_back((*value_)[i], source_, joined(pointer_, "/", std::to_string(i)));
    }
    return result;
  }

  /// A string.
  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) fail(shown(), " is no string");
    return value_->get_ref<const std::string&>();
  }

  /// True or false.
  [[nodiscard]] bool flag() const {
    if (!value_->is_boolean()) fail(shown(), " is neither true nor false");
    return value_->get<bool>();
  }

  /// A finite number that is not negative.
  [[nodiscard]] double amount() const {
    if (!value_->is_number()) fail(shown(), " is not a number");
    const double value = value_->get<double>();
    if (!is_finite(value)) fail(shown(), " is out of range");
    if (is_negative(value)) fail(shown(), " is negative");
    return value;
  }

  /// A whole number from `least` on.
  [[nodiscard]] std::size_t count(std::size_t least = 0) const {
    const double value = value_->is_number_unsigned() ? 0 : amount();
    // 2^53: beyond it not every whole number is a double.
    if (!value_->is_number_unsigned() && (value != std::floor(value) || value > 9007199254740992.0)) {
      fail(shown(), " is no whole number");
    }
    const std::size_t whole =
        value_->is_number_unsigned() ? value_->get<std::size_t>() : static_cast<std::size_t>(value);
    if (whole < least) fail(shown(), " is below ", std::to_string(least));
    return whole;
  }

  /// The members that are not `known`, as a JSON object; empty if there is none.
  [[nodiscard]] std::string unknown(std::initializer_list<std::string_view> known) const {
    json rest = json::object();
    for (const auto& [key, value] : object().value_->items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) rest[key] = value;
    }
    return rest.empty() ? std::string() : rest.dump();
  }

  /// Refuses members that are not `known`.
  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : object().value_->items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        json_value(value, source_, pointer_ + json_step(key)).fail("is not known");
      }
    }
  }

 private:
  const json* value_;
  std::string_view source_;
  std::string pointer_;
};

/// A number as it is written: without a fraction where it has none and is exact as a whole number.
[[nodiscard]] inline json json_number(double value) {
  if (value == std::floor(value) && std::abs(value) <= 9007199254740992.0) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace stagecut::inline v0::io::detail
