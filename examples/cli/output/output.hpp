// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/visible.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "output/output_file.hpp"
#include "output/screen.hpp"
#include "output/standard_streams.hpp"

/// The properties of standard output: a terminal with its width and, unless NO_COLOR is set, colours; else plain.
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

/// The screen for a text that goes to a file, or to standard output if the name is empty.
inline screen screen_of(const std::string& path) { return path.empty() ? standard_screen() : screen{}; }

/// Prints a line on standard error: messages in addition to the output.
inline void say(const std::string& text) {
  print_error(fmt::format("stagecut: {}\n", stagecut::visible(text)));
}

/// Prints several lines on standard error.
inline void say_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    say(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Writes a text to a file, or to standard output if the name is empty.
/// @throws std::system_error if that fails; an existing file is then unchanged
inline void write(const std::string& text, const std::string& path) {
  output_file file(path);
  file.write(text);
  file.commit();
}

/// Writes a text in parts: `make(PUT)` calls `PUT(PART)` for each of them.
/// @throws std::system_error as `write`; whatever `make` throws
template <class Make>
void write_parts(const Make& make, const std::string& path) {
  output_file file(path);
  const auto put = [&](std::string_view part) { file.write(part); };
  make(put);
  file.commit();
}
