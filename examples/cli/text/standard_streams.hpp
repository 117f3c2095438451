// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

/// Opens what was closed of standard input, output and error, so that no file that is opened later takes its place: what is
/// read is empty, what is said is lost, and what is written to standard output fails.
inline void open_standard_streams() {
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(each, F_GETFD) != -1) continue;
    // The lowest number that is free is the one that is closed.
    static_cast<void>(::open("/dev/null", each == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// Writes to standard error. That it cannot be is no reason to fail: `fmt::print` would throw.
inline void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}
