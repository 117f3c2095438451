// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/plan/sweep_options.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

#include "output/profile_text.hpp"
#include "output/screen.hpp"
#include "output/standard_streams.hpp"

/// A line on standard error that is redrawn in place during long work, and erased at its end. Does nothing if standard
/// error is not a terminal.
class progress_line {
 public:
  progress_line() : shown_(isatty(STDERR_FILENO) != 0), began_(std::chrono::steady_clock::now()) {}
  ~progress_line() { draw(""); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Whether there is a terminal.
  [[nodiscard]] bool is_shown() const { return shown_; }
  /// Seconds since construction.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  /// Shows `text()`, first half a second after the beginning, and then at most four times a second.
  template <class Text>
  void show(const Text& text) {
    const double now = seconds();
    if (!shown_ || now < 0.5 || (drawn_ > 0 && now - last_ < 0.25)) return;
    last_ = now;
    draw(text());
  }

 private:
  /// Draws over the previous text, cut off at the terminal's width.
  void draw(std::string text) {
    if (text.empty() && drawn_ == 0) return;
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    text.resize(std::min<std::size_t>(text.size(), known ? size.ws_col - 1U : 79));
    const std::string blank(drawn_ > text.size() ? drawn_ - text.size() : 0, ' ');
    print_error(fmt::format("\r{}{}{}", text, blank, text.empty() ? "\r" : ""));
    drawn_ = text.size();
  }

  bool shown_;
  std::chrono::steady_clock::time_point began_;
  double last_ = 0;
  std::size_t drawn_ = 0;  // characters on the screen
};

/// The progress of a search: `searching: makespan 12.08 s, bound 11.9 s, gap 1.5 %, 8 s left`, or `…, 3 s` for one
/// without a time limit.
///
/// @param what     the name of the value
/// @param limit    its time limit in seconds
/// @param seconds  since it began
inline std::string search_text(const stagecut::profile& model, const stagecut::search_progress& now, const char* what,
                               std::optional<double> limit, double seconds) {
  std::string text = "searching: ";
  text += now.value > 0 ? fmt::format("{} {}", what, time_text(model, now.value)) : std::string("no plan yet");
  if (now.bound > 0) text += fmt::format(", bound {}", time_text(model, now.bound));
  if (now.bound > 0 && now.value > 0) {
    text += fmt::format(", gap {:.1f} %", 100 * std::max(0.0, now.value / now.bound - 1));
  }
  return text + (limit ? fmt::format(", {:.0f} s left", std::max(0.0, *limit - seconds)) : fmt::format(", {:.0f} s", seconds));
}

/// The progress of a sweep.
inline std::string search_text(const stagecut::sweep_progress& now) {
  return fmt::format("planning: {} of {} configurations, {:.0f} s", now.done, now.rows, now.seconds);
}
