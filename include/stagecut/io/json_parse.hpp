// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/text.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline v0::io::detail {

/// Keeps the order of the members.
using json = nlohmann::ordered_json;

/// Deeper texts are refused: whoever writes them means harm to a recursive reader.
inline constexpr int json_depth = 64;

/// One step of a JSON pointer, escaped as RFC 6901 wants it, and `visible`.
[[nodiscard]] inline std::string json_step(std::string_view key) {
  std::string step = "/";
  for (const char c : visible(key)) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
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

/// Hears what nlohmann's parser tells of a text's first error: only `sax_parse` gives the byte without throwing.
struct json_checker : nlohmann::json_sax<json> {
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
  bool parse_error(std::size_t position, const std::string& last, const nlohmann::detail::exception& error) override {
    at = position == 0 ? 0 : position - 1;
    token = last;
    what = error.what();
    return false;
  }

  std::size_t at = 0;  ///< the byte
  std::string token;   ///< read last, and maybe others before it
  std::string what;    ///< in nlohmann's words
};

/// What is wrong with a text, for a person.
[[nodiscard]] inline std::string json_problem(std::string_view text, const json_checker& found) {
  if (found.what.starts_with("[json.exception.out_of_range")) {
    return joined("number ", in_quotes(found.token), " is out of range");
  }
  const std::string_view what = std::string_view(found.what).substr(0, found.what.find("; last read"));
  constexpr std::string_view open_string = "missing closing quote";
  if (found.at >= text.size() && (what.find("unexpected end") != what.npos || what.ends_with(open_string))) {
    return "no JSON: the text ends too early";
  }
  if (const auto string = what.find("invalid string: "); string != what.npos) {
    return joined("no JSON: ", what.substr(string));
  }
  if (found.token.starts_with('"') && found.token.ends_with('"')) {
    return joined("no JSON: unexpected string ", found.token.size() < 60 ? found.token : in_quotes(found.token));
  }
  const auto in_word = [&](std::size_t i) {
    const char c = text[i];
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+' || c == '_';
  };
  std::size_t first = std::min(found.at, text.size() - 1);
  // A literal is left at the first character that is not its own: `tru}`.
  const bool behind = what.ends_with("invalid literal") && !in_word(first) && first > 0;
  if (behind && text[first - 1] >= 'a' && text[first - 1] <= 'z') --first;
  std::size_t last = first + 1;
  if (in_word(first)) {
    while (first > 0 && in_word(first - 1)) --first;
    while (last < text.size() && in_word(last)) ++last;
  }
  return joined("no JSON: unexpected ", in_quotes(text.substr(first, last - first)));
}

/// Reads a text.
/// @throws invalid_input with `SOURCE:LINE` where it is no JSON, with `SOURCE#POINTER` for a key that stands twice
[[nodiscard]] inline json parse_json(std::string_view text, std::string_view source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (json_checker check; !json::sax_parse(text, &check)) {
    const std::string_view before = text.substr(0, check.at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    fail(invalid_input(joined(source, ":", std::to_string(line)), json_problem(text, check)));
  }
  json_guard guard(source);
  return json::parse(
      text, [&guard](int depth, json::parse_event_t event, json& parsed) { return guard(depth, event, parsed); });
}

}  // namespace stagecut::inline v0::io::detail
