// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/visible.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

// Errors are out of line: otherwise the hundreds of places that throw would each compile all of this.

/// A part of a text: characters, or a count.
class text_part {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  text_part(const char* text) noexcept : text_(text) {}
  text_part(std::string_view text) noexcept : text_(text) {}
  text_part(const std::string& text) noexcept : text_(text) {}
  text_part(unsigned count) noexcept : count_(count), is_count_(true) {}
  text_part(unsigned long count) noexcept : count_(count), is_count_(true) {}
  text_part(unsigned long long count) noexcept : count_(count), is_count_(true) {}
  text_part(double) = delete;  // would be truncated
  // NOLINTEND(google-explicit-constructor)

  void append_to(std::string& text) const;

 private:
  std::string_view text_{};
  unsigned long long count_ = 0;
  bool is_count_ = false;
};

/// The concatenated parts. Not `+`: g++ 12 warns of nonexistent overlaps in `"literal" + std::string()`. Not a template:
/// hundreds of callers join different parts.
[[nodiscard, gnu::noinline]] inline std::string joined(std::initializer_list<text_part> parts) {
  std::string text;
  for (const text_part& part : parts) part.append_to(text);
  return text;
}

/// A piece of text as shown in an error: quoted, `visible`, truncated if long.
[[nodiscard]] STAGECUT_DECL std::string in_quotes(std::string_view text);

}  // namespace detail

/// What all exceptions of the library have in common, besides `std::invalid_argument`.
class error {
 public:
  error() = default;
  error(const error&) = default;             ///< copies
  error& operator=(const error&) = default;  ///< copies
  virtual ~error() = default;

  /// What is wrong.
  [[nodiscard]] virtual const char* what() const noexcept = 0;
};

/// A caller's mistake: an argument out of range. Thrown on entry, before any work.
///
/// `what()` reads `stagecut::FUNCTION: ARGUMENT = VALUE, REQUIREMENT`, with misleading characters escaped.
class argument_error : public std::invalid_argument, public error {
 public:
  /// @param function     the called name, without its namespace
  /// @param argument     the name of the argument
  /// @param value        its value, as text
  /// @param requirement  the condition that it violates ("must be at least 1")
  [[gnu::noinline]] argument_error(std::string_view function, std::string_view argument, std::string_view value,
                                   std::string_view requirement)
      : std::invalid_argument(
            visible(detail::joined({"stagecut::", function, ": ", argument, " = ", value, ", ", requirement}))),
        argument_(argument) {}

  /// As `std::invalid_argument`.
  [[nodiscard]] const char* what() const noexcept override { return std::invalid_argument::what(); }

  /// The name of the argument.
  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }

 private:
  std::string argument_;
};

/// Bad data: a malformed file, a time that is NaN or negative, a sum that overflows. Thrown once, where the data enters.
///
/// `what()` reads `PLACE: PROBLEM`, with misleading characters escaped.
class invalid_input : public std::invalid_argument, public error {
 public:
  /// @param place    the position: `item 3`, `profile.csv:12`
  /// @param problem  what is wrong there, with the value found
  [[gnu::noinline]] invalid_input(std::string_view place, std::string_view problem)
      : std::invalid_argument(visible(detail::joined({place, ": ", problem}))), place_(place) {}

  /// As `std::invalid_argument`.
  [[nodiscard]] const char* what() const noexcept override { return std::invalid_argument::what(); }

  /// Where the data is wrong.
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

 private:
  std::string place_;
};

namespace detail {

/// Throws `error`; without exceptions (`-fno-exceptions`) prints its text and aborts. The library throws only through
/// this function.
template <class Error>
[[noreturn, gnu::noinline, gnu::cold]] inline void fail(Error error) {
#if defined(__cpp_exceptions)
  throw error;
#else
  std::fprintf(stderr, "%s\n", error.what());
  std::abort();
#endif
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/error.ipp>
#endif
