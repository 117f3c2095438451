// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/detail/yaml_cursor.hpp>
#include <stagecut/io/read_limits.hpp>

// The YAML subset of configuration files.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Reads maps and lists, by indentation or in brackets.
class yaml_reader {
 public:
  yaml_reader(std::string_view text, std::string_view source, std::size_t depth) : at_(text, source), most_(depth) {}

  /// The whole text; null if it has no content.
  [[nodiscard]] json read() {
    if (!at_.done() && at_.is_mark("---")) {
      for (int i = 0; i < 3; ++i) at_.skip();
      at_.end_line();
    }
    if (at_.done()) return nullptr;
    json value = node();
    if (!at_.done()) refuse_misfit();
    return value;
  }

 private:
  void refuse_mark() const {
    if (at_.is_mark("---") || at_.is_mark("...")) at_.fail("ends a document: one is read, up to the end");
  }

  [[noreturn]] void refuse_misfit() const {
    refuse_mark();
    at_.fail("does not fit to the lines before");
  }

  /// Every nested value starts here, and ends in `close`.
  void open() {
    if (++depth_ > most_) at_.fail(depth_problem(most_));
  }

  void close() { --depth_; }

  /// A value that begins here, and continues in lines with at least the same indentation.
  [[nodiscard]] json node() {
    refuse_mark();
    if (at_.is_item()) return list();
    if (at_.has_key()) return map();
    return one_line(at_.column());
  }

  /// A value without indentation of its own.
  /// @param column  lines after it are indented no further
  [[nodiscard]] json one_line(std::size_t column) {
    json value = at_.is_bracket() ? brackets() : at_.scalar(false);
    if (at_.is_colon()) at_.fail("holds a colon behind a value: a text with one needs quotes");
    at_.end_line();
    if (!at_.done() && at_.column() > column) {
      at_.fail("goes on with the value of the line before: texts of several lines are not read");
    }
    return value;
  }

  [[nodiscard]] json list() {
    open();
    const std::size_t column = at_.column();
    json made = json::array();
    while (!at_.done() && at_.column() == column && at_.is_item()) {
      at_.skip();
      if (at_.ends()) {
        at_.next_line();
        made.push_back(!at_.done() && at_.column() > column ? node() : json());
      } else {
        made.push_back(node());
      }
    }
    if (!at_.done() && at_.column() > column) refuse_misfit();
    close();
    return made;
  }

  [[nodiscard]] json map() {
    open();
    const std::size_t column = at_.column();
    json made = json::object();
    std::vector<std::size_t> lines;
    while (!at_.done() && at_.column() == column) {
      refuse_mark();
      if (at_.is_item()) at_.fail("is an item of a list among keys");
      if (!at_.has_key()) at_.fail(at_.shown(), " is no \"KEY: VALUE\", as the lines before are");
      lines.push_back(at_.line());
      std::string name = key(false);
      append_member(made, std::move(name), member(column));
    }
    if (!at_.done() && at_.column() > column) refuse_misfit();
    refuse_same_keys(made, lines);
    close();
    return made;
  }

  /// The value after a key. The items of a list may be directly below the key.
  [[nodiscard]] json member(std::size_t column) {
    if (!at_.ends()) {
      if (at_.is_item()) at_.fail("begins a list on the line of its key");
      return one_line(column);
    }
    at_.next_line();
    const bool below = !at_.done() && at_.column() == column && at_.is_item();
    return below || (!at_.done() && at_.column() > column) ? node() : json();
  }

  /// Reads a key and advances past its colon.
  [[nodiscard]] std::string key(bool within) {
    if (at_.is_quote()) {
      std::string name = at_.quoted();
      skip_colon(within);
      return name;
    }
    std::string name(at_.plain_text(within));
    if (name.empty()) at_.fail("a key is missing");
    skip_colon(within);
    return name;
  }

  void skip_colon(bool within) {
    if (within) skip_lines(at_.line());
    if (at_.ends() || at_.here() != ':') at_.fail("a colon is missing behind a key");
    at_.skip();
  }

  /// Advances to the next content in brackets, on any line.
  /// @param opened  the line of the bracket
  void skip_lines(std::size_t opened) {
    while (at_.ends()) {
      at_.next_line(true);
      if (at_.done() || at_.is_mark("---") || at_.is_mark("...")) {
        at_.fail_at(opened, "a bracket, or a pair in it, begins here and does not end");
      }
    }
  }

  /// A list `[...]` or a map `{...}`, on any number of lines.
  [[nodiscard]] json brackets() {
    open();
    const std::size_t opened = at_.line();
    const bool is_map = at_.here() == '{';
    const char last = is_map ? '}' : ']';
    json made = is_map ? json::object() : json::array();
    std::vector<std::size_t> lines;
    at_.skip();
    for (skip_lines(opened); at_.here() != last; skip_lines(opened)) {
      if (is_map) {
        lines.push_back(at_.line());
        std::string name = key(true);
        skip_lines(opened);
        const bool none = at_.here() == ',' || at_.here() == last;
        append_member(made, std::move(name), none ? json() : within());
      } else {
        made.push_back(within());
      }
      skip_lines(opened);
      if (at_.here() == last) break;
      if (at_.here() != ',') at_.fail(is_map ? "',' or '}'" : "',' or ']'", " is missing before ", at_.shown());
      at_.skip();
    }
    at_.skip();
    refuse_same_keys(made, lines);
    close();
    return made;
  }

  [[nodiscard]] json within() {
    if (at_.is_bracket()) return brackets();
    if (std::string_view(",:").find(at_.here()) != std::string_view::npos) {
      at_.fail("a value is missing before ", at_.shown());
    }
    return at_.scalar(true);
  }

  /// @param lines  of every key
  void refuse_same_keys(const json& map, const std::vector<std::size_t>& lines) const {
    if (!map.is_object()) return;
    const json::object_t::Container& members = map.get_ref<const json::object_t&>();
    const std::size_t second = find_second(members);
    if (second != members.size())
      at_.fail_at(lines[second], in_quotes(members[second].first), " stands twice in its map");
  }

  yaml_cursor at_;
  std::size_t most_;
  std::size_t depth_ = 0;
};

/// Reads a text in the subset of YAML that configuration files use, which includes JSON: maps and lists by indentation
/// and in brackets, scalars on one line with or without quotes, comments. No anchors, aliases, tags, directives, texts of
/// several lines, or multiple documents. Rejects words with different values in YAML 1.1 and 1.2 (`no`, `010`); numbers
/// are decimal, optionally with `+`, or without digits before or after the point, and others are texts (`0x10`, `1_000`).
/// Keys are texts.
///
/// @param text    the content
/// @param source  its name in errors
/// @return        its value, members in their order; null if it has no content
/// @throws        invalid_input with `SOURCE:LINE` for unsupported content, a duplicate key and beyond the limit of
///                depth, with `SOURCE` beyond the limit of size
///
/// Source: YAML 1.2.2, 2021.
[[nodiscard]] inline json parse_yaml(std::string_view text, std::string_view source, const read_limits& limits = {}) {
  check_size(text, source, limits);
  return yaml_reader(text, source, most_depth(limits)).read();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
