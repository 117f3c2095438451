// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <stagecut/core/visible.hpp>

namespace stagecut::inline v0 {

namespace detail {

// Errors stay out of line: hundreds of places tell them, and would each be compiled with all of it.

/// See `joined`.
[[nodiscard, gnu::noinline]] inline std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

/// The parts one after the other. Not `+`: g++ 12 warns of overlaps in `"literal" + std::string()` that there are not.
template <class... Parts>
[[nodiscard]] inline std::string joined(const Parts&... parts) {
  return detail::join({std::string_view(parts)...});
}

/// A piece of a text as it is shown in an error: quoted, `visible`, not too long.
[[nodiscard]] inline std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  while (!text.empty() && result.size() <= 60) result += take_visible(text);
  return result + (text.empty() ? "\"" : "...\"");
}

}  // namespace detail

/// The caller's mistake: an argument outside its range. Thrown at the door, before any work.
///
/// `what()` reads `stagecut::FUNCTION: ARGUMENT = VALUE, REQUIREMENT`, with what would mislead a reader escaped.
class argument_error : public std::invalid_argument {
 public:
  /// @param function     the name that was called, without its namespace
  /// @param argument     the name of the argument
  /// @param value        its value, as text
  /// @param requirement  what would have been right ("must be at least 1")
  [[gnu::noinline]] argument_error(std::string_view function, std::string_view argument, std::string_view value,
                                   std::string_view requirement)
      : std::invalid_argument(
            visible(detail::joined("stagecut::", function, ": ", argument, " = ", value, ", ", requirement))),
        argument_(argument) {}

  /// The name of the argument.
  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }

 private:
  std::string argument_;
};

/// Bad data: a malformed file, a time that is NaN or negative, a sum that overflows. Thrown once, where the data enters.
///
/// `what()` reads `PLACE: PROBLEM`, with what would mislead a reader escaped.
class invalid_input : public std::invalid_argument {
 public:
  /// @param place    where: `item 3`, `profile.csv:12`
  /// @param problem  what is wrong there, with the value found
  [[gnu::noinline]] invalid_input(std::string_view place, std::string_view problem)
      : std::invalid_argument(visible(detail::joined(place, ": ", problem))), place_(place) {}

  /// Where the data is wrong.
  [[nodiscard]] const std::string& place() const noexcept { return place_; }

 private:
  std::string place_;
};

namespace detail {

/// Throws `error`; without exceptions (`-fno-exceptions`) prints its text and aborts. Everything that the library
/// throws passes here.
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
}  // namespace stagecut::inline v0
