// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

/// Opens standard input, output and error if they are closed, so that no later file gets their descriptors: reads are
/// empty, messages are lost, and writes to standard output fail.
inline void open_standard_streams() {
  for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(each, F_GETFD) != -1) continue;
    // The lowest free descriptor is the closed one.
    static_cast<void>(::open("/dev/null", each == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

/// Writes to standard error. Ignores failures: `fmt::print` would throw.
inline void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}
