// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/plan_request.hpp>

// Properties of stages that come from their devices.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The speed of each stage, by its device; empty if all are as profiled.
[[nodiscard]] inline std::vector<double> speeds_of_stages(const plan_request& request,
                                                          const std::vector<std::size_t>& rank_of) {
  std::vector<double> result;
  for (const std::size_t device : rank_of) {
    if (!request.speeds.empty()) result.push_back(request.speeds[device]);
  }
  return result;
}

/// The links of the boundaries of stages, or one for all; empty if messages take no time.
[[nodiscard]] inline std::vector<link_speed> links_of(const plan_request& request,
                                                      const std::vector<std::size_t>& rank_of) {
  return request.topology ? request.topology->links(view<const std::size_t>(rank_of)) : request.links;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
