// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ctime>

namespace bench {

/// Seconds of the calling thread's run time: other load on the machine does not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bench
