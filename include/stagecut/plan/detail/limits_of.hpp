// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/sequence/chain_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The limits of a request as those of a search that has no makespan to tell of.
[[nodiscard]] inline chain_limits limits_of(const plan_request& request) {
  return {request.limits.time_limit, request.limits.stop, {}};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
