// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>

// The tokens of a text in DOT.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A word or a sign.
struct dot_token {
  enum class kind : std::uint8_t { word, quoted, html, sign, end };

  kind what = kind::end;
  std::string text{};    ///< content of a quoted word; or a sign: `->`, `--` or one character
  std::size_t line = 0;  ///< the line of its start, from 1

  /// Whether it is this sign.
  [[nodiscard]] bool is(std::string_view sign) const noexcept { return what == kind::sign && text == sign; }
  /// Whether it is a name.
  [[nodiscard]] bool is_id() const noexcept { return what == kind::word || what == kind::quoted; }
  /// Whether it is this keyword of DOT, in either case.
  [[nodiscard]] bool is_keyword(std::string_view small) const noexcept {
    if (what != kind::word || text.size() != small.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != small[i]) return false;
    }
    return true;
  }
};

/// Splits a text into tokens. Skips a byte-order mark, and comments: `//` to the end of the line, `/* */`, and lines that
/// begin with `#`.
class dot_lexer {
 public:
  dot_lexer(std::string_view text, std::string_view source) : text_(text), source_(source) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  /// The next token; at the end of the text, `end`.
  dot_token next() {
    skip();
    if (at_ == text_.size()) return {dot_token::kind::end, "", line_};
    const char c = text_[at_];
    if (c == '"') return quoted();
    if (c == '<') return html();
    const std::string_view two = text_.substr(at_, 2);
    if (two == "->" || two == "--") return take(dot_token::kind::sign, 2);
    if (is_letter(c))
      return take(dot_token::kind::word, length(at_, [](char l) { return is_letter(l) || is_digit(l); }));
    if (const std::size_t size = numeral(); size != 0) return take(dot_token::kind::word, size);
    std::string_view rest = text_.substr(at_);
    return take(dot_token::kind::sign, utf8_size(rest) == 0 ? 1 : utf8_size(rest));
  }

  /// `SOURCE:LINE`.
  [[nodiscard]] std::string place(std::size_t line) const { return joined({source_, ":", line}); }
  /// The text's name in errors.
  [[nodiscard]] std::string source() const { return std::string(source_); }

 private:
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
  }

  template <class Belongs>
  [[nodiscard]] std::size_t length(std::size_t from, const Belongs& belongs) const {
    std::size_t end = from;
    while (end < text_.size() && belongs(text_[end])) ++end;
    return end - from;
  }

  dot_token take(dot_token::kind what, std::size_t size) {
    dot_token token{what, std::string(text_.substr(at_, size)), line_};
    at_ += size;
    return token;
  }

  /// The length of the number at the current position: `-1.5`, `.5`, `2e-3`; 0 if there is none.
  [[nodiscard]] std::size_t numeral() const {
    const std::size_t sign = text_[at_] == '-' ? 1 : 0;
    const std::size_t digits = length(at_ + sign, [](char c) { return is_digit(c) || c == '.'; });
    if (digits == 0) return 0;
    std::size_t size = sign + digits;
    std::size_t exponent = at_ + size;
    if (exponent == text_.size() || (text_[exponent] != 'e' && text_[exponent] != 'E')) return size;
    ++exponent;
    if (exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+')) ++exponent;
    const std::size_t power = length(exponent, is_digit);
    return power == 0 ? size : exponent + power - at_;
  }

  /// A word in quotes: `\"` is a quote, `\\` a backslash, and a backslash before a line break joins the lines.
  dot_token quoted() {
    dot_token token{dot_token::kind::quoted, "", line_};
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return token;
      }
      if (c == '\n') ++line_;
      const char after = c == '\\' && at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (after == '"' || after == '\\') token.text += after;
      if (after == '\n') ++line_;
      if (after == '"' || after == '\\' || after == '\n') {
        ++at_;
      } else {
        token.text += c;
      }
    }
    fail(invalid_input(place(token.line), "a quote is not closed"));
  }

  /// A label `<...>` with balanced angle brackets.
  dot_token html() {
    dot_token token{dot_token::kind::html, "<...>", line_};
    std::size_t open = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '<') ++open;
      if (text_[at_] == '>' && --open == 0) {
        ++at_;
        return token;
      }
    }
    fail(invalid_input(place(token.line), "an angle bracket is not closed"));
  }

  /// Skips white space and comments.
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const std::string_view two = text_.substr(at_, 2);
      if (two == "//" || (c == '#' && (at_ == 0 || text_[at_ - 1] == '\n'))) {
        at_ += length(at_, [](char l) { return l != '\n'; });
      } else if (two == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(invalid_input(place(line_), "a comment is not closed"));
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        line_ += c == '\n' ? 1 : 0;
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// Whether a text begins as DOT, after comments.
/// @throws invalid_input for an unclosed comment or quote there
[[nodiscard]] inline bool is_dot(std::string_view text, std::string_view source) {
  const std::size_t first = text.find_first_not_of(" \t\r\n", text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (first == std::string_view::npos || std::string_view("/#sSdDgG").find(text[first]) == std::string_view::npos) {
    return false;
  }
  dot_lexer lexer(text, source);
  dot_token token = lexer.next();
  if (token.is_keyword("strict")) token = lexer.next();
  if (!token.is_keyword("digraph") && !token.is_keyword("graph")) return false;
  token = lexer.next();
  return token.is("{") || token.is_id();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
