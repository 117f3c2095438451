// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/detail/yaml_scalar.hpp>

// A position in a text in YAML.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Reads a text line by line, without comments and blank lines, and the scalars of each line.
class yaml_cursor {
 public:
  /// Starts at the first character of the first line with content.
  yaml_cursor(std::string_view text, std::string_view source) : rest_(text), source_(source) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    next_line();
  }

  /// Rejects the content here: `SOURCE:LINE: PROBLEM`.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    fail_at(number_, problem...);
  }
  /// Rejects the content of another line.
  template <class... Parts>
  [[noreturn]] void fail_at(std::size_t line, const Parts&... problem) const {
    detail::fail(invalid_input(joined({source_, ":", line}), joined({problem...})));
  }

  [[nodiscard]] bool done() const noexcept { return done_; }           ///< after the last line
  [[nodiscard]] std::size_t line() const noexcept { return number_; }  ///< from 1
  [[nodiscard]] std::size_t column() const noexcept { return at_; }    ///< from 0
  [[nodiscard]] char here() const { return line_[at_]; }               ///< @pre not at the end of the line
  [[nodiscard]] std::string shown() const {
    return in_quotes(line_.substr(at_));
  }                       ///< the rest of the line, for errors
  void skip() { ++at_; }  ///< one character

  /// Advances to the first character of the next line with content; `within`: in brackets.
  void next_line(bool within = false) {
    done_ = true;
    while (done_ && !rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      at_ = 0;
      while (at_ < line_.size() && line_[at_] == ' ') ++at_;
      check_line(within);
      const std::size_t indent = at_;
      done_ = ends();
      if (!done_) at_ = indent;
    }
  }

  /// Whether only blanks and a comment, preceded by a blank, remain on the line; else advances to the content.
  [[nodiscard]] bool ends() {
    while (at_ < line_.size() && is_blank(at_)) ++at_;
    return at_ == line_.size() || (line_[at_] == '#' && (at_ == 0 || is_blank(at_ - 1)));
  }

  /// Leaves a line that was read completely.
  void end_line() {
    if (!ends()) fail(shown(), " stands behind the end of a value");
    next_line();
  }

  /// Whether an item of a list begins here: `-` and a blank.
  [[nodiscard]] bool is_item() const { return line_[at_] == '-' && is_blank(at_ + 1); }
  /// Whether a colon that ends a key is here.
  [[nodiscard]] bool is_colon() const { return at_ < line_.size() && line_[at_] == ':' && is_blank(at_ + 1); }
  [[nodiscard]] bool is_quote() const { return line_[at_] == '"' || line_[at_] == '\''; }
  [[nodiscard]] bool is_bracket() const { return line_[at_] == '[' || line_[at_] == '{'; }
  /// Whether the line is a separator of documents.
  [[nodiscard]] bool is_mark(std::string_view mark) const { return at_ == 0 && line_.starts_with(mark) && is_blank(3); }

  /// Whether a key and its colon begin here.
  [[nodiscard]] bool has_key() {
    const std::size_t before = at_;
    bool found = !is_bracket();
    if (is_quote()) {
      found = quoted_scalar(line_, at_).problem.empty();
      while (found && at_ < line_.size() && is_blank(at_)) ++at_;
    } else if (found) {
      (void)plain(false);
    }
    found = found && is_colon();
    at_ = before;
    return found;
  }

  /// Reads a text in quotes.
  [[nodiscard]] std::string quoted() {
    yaml_scalar read = quoted_scalar(line_, at_);
    if (!read.problem.empty()) fail(read.problem);
    return std::move(read.value.get_ref<std::string&>());
  }

  /// Reads a scalar, in quotes or not; `within`: in brackets.
  [[nodiscard]] json scalar(bool within) {
    if (is_quote()) return quoted();
    yaml_scalar read = plain_scalar(plain_text(within));
    if (!read.problem.empty()) fail(read.problem);
    return std::move(read.value);
  }

  /// Reads a text without quotes. Rejects text that begins like something else.
  [[nodiscard]] std::string_view plain_text(bool within) {
    const std::string_view text = plain(within);
    switch (text.empty() ? '\0' : text.front()) {
      case '&': fail(in_quotes(text), " is an anchor: they are not read");
      case '*': fail(in_quotes(text), " is an alias: they are not read");
      case '!': fail(in_quotes(text), " is a tag: they are not read");
      case '%': fail(in_quotes(text), " is a directive: they are not read");
      case '|':
      case '>': fail(in_quotes(text), " begins a text of several lines: they are not read");
      case '@':
      case '`':
      case '#':
      case ']':
      case '}':
      case ',': fail(in_quotes(text), " begins no text: it needs quotes");
      default: break;
    }
    const bool marks = !text.empty() && (text.front() == '-' || text.front() == '?');
    if (marks && (text.size() == 1 || text[1] == ' ' || text[1] == '\t')) {
      fail(in_quotes(text), " begins no text: it needs quotes");
    }
    return text;
  }

 private:
  [[nodiscard]] bool is_blank(std::size_t i) const { return i >= line_.size() || line_[i] == ' ' || line_[i] == '\t'; }
  [[nodiscard]] bool separates(std::size_t i) const {
    return i < line_.size() && std::string_view(",[]{}").find(line_[i]) != std::string_view::npos;
  }

  /// A text up to a comment, to a colon that ends a key, and `within` brackets to a separator.
  [[nodiscard]] std::string_view plain(bool within) {
    const std::size_t first = at_;
    for (; at_ < line_.size(); ++at_) {
      if (line_[at_] == '#' && at_ > first && is_blank(at_ - 1)) break;
      if (within && separates(at_)) break;
      if (line_[at_] == ':' && (is_blank(at_ + 1) || (within && separates(at_ + 1)))) break;
    }
    return trimmed(line_.substr(first, at_ - first));
  }

  /// Rejects characters that YAML forbids, and tabs as indentation.
  void check_line(bool within) const {
    if (!is_utf8(line_)) fail("is not UTF-8");
    for (const char c : line_) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t') fail("holds a control character");
    }
    const std::string_view text = trimmed(line_);
    if (!within && at_ < line_.size() && line_[at_] == '\t' && !text.empty() && text.front() != '#') {
      fail("is indented by a tabulator: YAML wants blanks");
    }
  }

  std::string_view rest_;
  std::string_view source_;
  std::string_view line_{};
  std::size_t number_ = 0;
  std::size_t at_ = 0;
  bool done_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
