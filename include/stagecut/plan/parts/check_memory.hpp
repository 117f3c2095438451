// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects a limit on memory that is not known, and bytes out of any realistic range.
inline void check_memory(const training_memory& memory, const plan_request& request,
                         const std::vector<std::size_t>& in_flight) {
  constexpr double most = 1e18;
  std::size_t kept = 1;
  for (const std::size_t count : in_flight) kept = std::max(kept, count);
  bool counted = memory.share(0, memory.size(), kept) < most;
  bool any = false;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const double bytes = memory(i, i + 1, kept).total();
    counted = counted && bytes < most;
    any = any || bytes > 0;
  }
  if (request.memory_limit && !any) {
    fail(invalid_input("model", "no layer takes any bytes: a memory limit has no effect"));
  }
  if (!counted) fail(invalid_input("model", "its layers take more than 10^18 bytes"));
}

/// The bytes of that device that stages may use; 0 if none is set.
[[nodiscard]] inline double bytes_allowed(const plan_request& request, std::size_t device) {
  return request.memory_limit.of(device, 0) * (1 - request.buffer_fraction);
}

/// `bytes_allowed` for every device.
[[nodiscard]] inline std::vector<double> bytes_of_devices(const plan_request& request) {
  std::vector<double> result;
  for (std::size_t d = 0; d < request.devices; ++d) result.push_back(detail::bytes_allowed(request, d));
  return result;
}

/// `bytes_allowed` of the device that has most.
[[nodiscard]] inline double most_bytes_allowed(const plan_request& request) {
  double most = 0;
  for (const double bytes : detail::bytes_of_devices(request)) most = std::max(most, bytes);
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
