// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/ioctl.h>
#include <unistd.h>

#include "plan_text.hpp"

/// What standard output is: a terminal with its width and, unless NO_COLOR is set, colours; else plain.
inline screen standard_screen() {
  screen on;
  if (isatty(STDOUT_FILENO) == 0) return on;
  on.terminal = true;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) on.width = size.ws_col;
  const char* const term = std::getenv("TERM");
  on.colour = std::getenv("NO_COLOR") == nullptr && term != nullptr && std::string(term) != "dumb";
  return on;
}

/// One line on standard error: what the program has to say beside its output.
inline void say(const std::string& text) { fmt::print(stderr, "stagecut: {}\n", shown(text, text.size())); }

/// Writes a text to a file, or to standard output if the name is empty.
/// @throws std::system_error if it cannot be written
inline void write(const std::string& text, const std::string& path) {
  const auto refuse = [&] {
    const int why = errno;
    throw std::system_error(why, std::generic_category(),
                            path.empty() ? "the output could not be written" : path + ": could not be written");
  };
  std::FILE* const file = path.empty() ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) refuse();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (!written) refuse();
  if (!path.empty() && std::fclose(file) != 0) refuse();
}

/// Writes a text that comes in parts: `make(PUT)` calls `PUT(PART)` for each of them.
/// @throws std::system_error if it cannot be written; whatever `make` throws
template <class Make>
void write_parts(const Make& make, const std::string& path) {
  const auto refuse = [&] {
    const int why = errno;
    throw std::system_error(why, std::generic_category(),
                            path.empty() ? "the output could not be written" : path + ": could not be written");
  };
  std::FILE* const file = path.empty() ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) refuse();
  const auto put = [&](std::string_view part) {
    if (std::fwrite(part.data(), 1, part.size(), file) != part.size()) refuse();
  };
  make(put);
  if (std::fflush(file) != 0) refuse();
  if (!path.empty() && std::fclose(file) != 0) refuse();
}
