// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <string>

#include <unistd.h>

// Handling of signals that ask the program to end: a search answers with its best result, and an incomplete file is
// removed.

namespace stop_signals {

inline volatile std::sig_atomic_t searching = 0;   // whether the first signal is a request to stop
inline volatile std::sig_atomic_t stop_asked = 0;  // whether it has come
inline volatile std::sig_atomic_t unfinished = 0;  // whether there is a file to remove
inline char unfinished_path[4096];                 // its name

/// Notes the first signal of a search; otherwise removes the incomplete file, and ends the program by that signal.
/// Async-signal-safe.
extern "C" inline void on_stop_signal(int number) {
  const int before = errno;
  if (searching != 0 && stop_asked == 0 && number != SIGHUP) {
    stop_asked = 1;
  } else {
    if (unfinished != 0) ::unlink(unfinished_path);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(number, &usual, nullptr);
    ::raise(number);  // takes effect when this function returns
  }
  errno = before;
}

/// Handles these signals, except those that the parent process set to be ignored.
inline void take(std::initializer_list<int> numbers, int flags = SA_RESTART) {
  for (const int number : numbers) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    now = {};
    now.sa_handler = on_stop_signal;
    now.sa_flags = flags;
    sigemptyset(&now.sa_mask);
    for (const int other : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&now.sa_mask, other);
    ::sigaction(number, &now, nullptr);
  }
}

/// From here on the first SIGINT or SIGTERM is a request to stop, reported by `asked`; the second ends the program.
///
/// @param reads_end  whether a blocking read of input also ends
inline void begin_search(bool reads_end) {
  searching = 1;
  take({SIGINT, SIGTERM}, reads_end ? 0 : SA_RESTART);
}

/// Whether to stop.
inline bool asked() { return stop_asked != 0; }

/// Blocks signals that would end the program.
class held_back {
 public:
  held_back() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    ::sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~held_back() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  held_back(const held_back&) = delete;
  held_back& operator=(const held_back&) = delete;

 private:
  sigset_t before_{};
};

/// Removes the file of that name if a signal ends the program before it is complete. One at a time; a name that is too
/// long is not removed.
inline void remove_at_end(const std::string& path) {
  if (path.size() >= sizeof(unfinished_path)) return;
  path.copy(unfinished_path, path.size());
  unfinished_path[path.size()] = '\0';
  unfinished = 1;
  take({SIGINT, SIGTERM, SIGHUP});
}

/// The file is complete, or removed.
inline void keep_at_end() { unfinished = 0; }

}  // namespace stop_signals
