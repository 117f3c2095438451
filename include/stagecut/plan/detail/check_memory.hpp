// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline v0::detail {

/// Refuses bytes that a limit would say nothing of, and such as nobody has.
inline void check_memory(const training_memory& memory, const plan_request& request,
                         const std::vector<std::size_t>& in_flight) {
  constexpr double most = 1e18;
  std::size_t kept = 1;
  for (const std::size_t each : in_flight) kept = kept < each ? each : kept;
  bool counted = memory.share(0, memory.size(), kept) < most;
  bool any = false;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const double bytes = memory(i, i + 1, kept).total();
    counted = counted && bytes < most;
    any = any || bytes > 0;
  }
  if (request.memory_per_device && !any) {
    fail(invalid_input("model", "no layer takes any bytes: a limit of memory says nothing"));
  }
  if (!counted) fail(invalid_input("model", "its layers take more than 10^18 bytes"));
}

/// The bytes of a device that stages may take; 0 where nothing was said.
[[nodiscard]] inline double bytes_allowed(const plan_request& request) {
  return request.memory_per_device.value_or(0) * (1 - request.buffer_fraction);
}

}  // namespace stagecut::inline v0::detail
