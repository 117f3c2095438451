// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/sequence/chain_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The limits of a request for a search without a makespan: a hundred rows of a table count as a node.
[[nodiscard]] inline chain_limits limits_of(const plan_request& request) {
  chain_limits limits{request.limits.time_limit, request.limits.stop, {}, {}};
  const auto& nodes = request.limits.node_limit;
  if (nodes) limits.row_limit = *nodes < ~std::size_t{0} / 100 ? *nodes * 100 : ~std::size_t{0};
  return limits;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
