// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/json_parse.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL void append_member(json& object, std::string key, json value) {
  json::object_t::Container& members = object.get_ref<json::object_t&>();
  members.emplace_back(std::move(key), std::move(value));
}

STAGECUT_DECL std::string json_step(std::string_view key) {
  std::string step = "/";
  for (const char c : visible(key.substr(0, 60))) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return key.size() > 60 ? step + "..." : step;
}

STAGECUT_DECL std::size_t find_second(const json::object_t::Container& members) {
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::size_t i) -> const std::string& { return members[i].first; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int compared = key(a).compare(key(b));
    return compared != 0 ? compared < 0 : a < b;
  });
  std::size_t second = members.size();
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (key(order[i - 1]) == key(order[i])) second = std::min(second, order[i]);
  }
  return second;
}

/// Builds the value from the events of nlohmann's parser, member by member, and records the first problem: invalid JSON,
/// or valid JSON that is rejected, for duplicate keys or excessive nesting.
class json_builder : public nlohmann::json_sax<json> {
 public:
  /// @param depth  deeper texts are rejected
  explicit json_builder(std::size_t depth) : depth_(depth) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (problem.empty()) append_member(*open_.back(), std::move(name), nullptr);
    return true;
  }

  bool end_object() override {
    if (!problem.empty()) return true;
    const json::object_t::Container& members = open_.back()->get_ref<const json::object_t&>();
    const std::size_t second = find_second(members);
    if (second != members.size()) {
      return refuse(json_step(members[second].first), "stands twice in its object");
    }
    return close();
  }

  bool parse_error(std::size_t position, const std::string& last, const nlohmann::detail::exception& error) override {
    at = position == 0 ? 0 : position - 1;
    token = last;
    what = error.what();
    const bool inside = problem.empty() && !open_.empty() && !(open_.back()->is_object() && open_.back()->empty());
    if (inside) place = place_at(last_step(*open_.back(), 0));
    return false;
  }

  json root;            ///< the result
  std::string place;    ///< `#POINTER` of JSON that is rejected, or of the invalid value; empty: the whole text
  std::string problem;  ///< empty: none
  std::size_t at = 0;   ///< the byte at which it is invalid
  std::string token;    ///< last token read there, possibly with previous ones
  std::string what;     ///< nlohmann's message

 private:
  /// Adds a value to the innermost open one: after the last element, or at the last key.
  json* place_of(json value) {
    if (open_.empty()) return &(root = std::move(value));
    json& within = *open_.back();
    if (within.is_object()) return &(within.get_ref<json::object_t&>().back().second = std::move(value));
    within.push_back(std::move(value));
    return &within.back();
  }

  bool put(json value) {
    if (problem.empty()) (void)place_of(std::move(value));
    return true;
  }

  bool open(json value) {
    if (!problem.empty()) return true;
    if (open_.size() >= depth_) return refuse(open_.empty() ? "" : last_step(*open_.back(), 0), depth_problem(depth_));
    open_.push_back(place_of(std::move(value)));
    return true;
  }

  bool close() {
    if (problem.empty()) open_.pop_back();
    return true;
  }

  /// Stops building, but checks whether the rest is JSON.
  /// @param step  its position within the innermost open value
  bool refuse(std::string_view step, std::string why) {
    place = place_at(step);
    problem = std::move(why);
    root = nullptr;
    open_.clear();
    return true;
  }

  /// The pointer to a position within the innermost open value.
  [[nodiscard]] std::string pointer_to(std::string_view step) const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size() && pointer.size() < 200; ++i) pointer += last_step(*open_[i], 1);
    return joined({pointer, pointer.size() < 200 ? "" : "/...", step});
  }

  /// `#POINTER` of the same position; empty for the whole text.
  [[nodiscard]] std::string place_at(std::string_view step) const {
    const std::string pointer = pointer_to(step);
    return pointer.empty() ? pointer : "#" + pointer;
  }

  /// The step to the last value within another one, or with `behind` 0 to the next element of an array.
  [[nodiscard]] static std::string last_step(const json& within, std::size_t behind) {
    const auto* const members = within.get_ptr<const json::object_t*>();
    if (members != nullptr) return json_step(members->back().first);
    return joined({"/", within.size() - behind});
  }

  std::size_t depth_;
  std::vector<json*> open_{};  // each within the previous one
};

/// The word around a byte of a text: `-Infinity`.
[[nodiscard]] inline std::string_view word_at(std::string_view text, std::size_t at) {
  const auto in_word = [&](std::size_t i) {
    const char c = text[i];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  std::size_t first = std::min(at, text.size());
  std::size_t last = first;
  while (first > 0 && in_word(first - 1)) --first;
  while (last < text.size() && in_word(last)) ++last;
  return text.substr(first, last - first);
}

/// The problem with a text, for display.
[[nodiscard]] inline std::string json_problem(std::string_view text, const json_builder& found) {
  if (found.what.starts_with("[json.exception.out_of_range")) {
    return joined({"number ", in_quotes(found.token), " is out of range"});
  }
  const std::string_view what = std::string_view(found.what).substr(0, found.what.find("; last read"));
  constexpr std::string_view open_string = "missing closing quote";
  if (found.at >= text.size() && (what.find("unexpected end") != what.npos || what.ends_with(open_string))) {
    return "no JSON: the text ends too early";
  }
  if (const auto string = what.find("invalid string: "); string != what.npos) {
    return joined({"no JSON: ", what.substr(string)});
  }
  if (found.token.starts_with('"') && found.token.ends_with('"')) {
    return joined({"no JSON: unexpected string ", found.token.size() < 60 ? found.token : in_quotes(found.token)});
  }
  const auto in_word = [&](std::size_t i) {
    const char c = text[i];
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+' || c == '_';
  };
  std::size_t first = std::min(found.at, text.size() - 1);
  // A literal ends at the first character that does not match: `tru}`.
  const bool behind = what.ends_with("invalid literal") && !in_word(first) && first > 0;
  if (behind && text[first - 1] >= 'a' && text[first - 1] <= 'z') --first;
  std::size_t last = first + 1;
  if (in_word(first)) {
    while (first > 0 && in_word(first - 1)) --first;
    while (last < text.size() && in_word(last)) ++last;
  }
  return joined({"no JSON: unexpected ", in_quotes(text.substr(first, last - first))});
}

STAGECUT_DECL json_reading read_json(std::string_view text, std::size_t depth) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  json_builder builder(depth);
  if (!json::sax_parse(text, &builder)) {
    if (const std::string_view word = word_at(text, builder.at); word == "NaN" || word == "Infinity" || word == "-Infinity") {
      return {nullptr, std::move(builder.place),
              joined({word, " is no number of JSON, though Python's json writes it: leave it out, or write null"}),
              false};
    }
    const std::string_view before = text.substr(0, builder.at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    return {nullptr, joined({":", std::to_string(line)}), json_problem(text, builder), false};
  }
  return {std::move(builder.root), std::move(builder.place), std::move(builder.problem)};
}

/// `null` in place of numbers that JSON does not have.
[[nodiscard]] inline std::string without_infinities(std::string_view text) {
  std::string made;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    std::size_t size = 0;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (!quoted && rest.starts_with(word)) size = word.size();
    }
    if (size != 0) {
      made += "null";
      i += size - 1;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    made += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size()) made += text[++i];
  }
  return made;
}

STAGECUT_DECL json_reading read_python_json(std::string_view text, std::size_t depth) {
  const bool other = text.find("NaN") != text.npos || text.find("Infinity") != text.npos;
  return other ? read_json(without_infinities(text), depth) : read_json(text, depth);
}

/// The value, or its problem.
[[nodiscard]] inline json value_of(json_reading read, std::string_view source) {
  if (!read.problem.empty()) fail(invalid_input(joined({source, read.place}), read.problem));
  return std::move(read.value);
}

STAGECUT_DECL json parse_json(std::string_view text, std::string_view source, const read_limits& limits) {
  check_size(text, source, limits);
  return value_of(read_json(text, most_depth(limits)), source);
}

STAGECUT_DECL json parse_python_json(std::string_view text, std::string_view source, const read_limits& limits) {
  check_size(text, source, limits);
  return value_of(read_python_json(text, most_depth(limits)), source);
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
