// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <thread>

namespace executor {

/// Seconds of the host's steady clock, shared by all threads and processes of a machine.
[[nodiscard]] inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Waits for a time on that clock: sleeps until shortly before, then spins, since waking up takes longer than some
/// passes.
inline void hold_until(double end) {
  constexpr double waking = 1e-4;
  const double left = end - steady_seconds();
  if (left > waking) std::this_thread::sleep_for(std::chrono::duration<double>(left - waking));
  while (steady_seconds() < end) std::this_thread::yield();
}

}  // namespace executor
