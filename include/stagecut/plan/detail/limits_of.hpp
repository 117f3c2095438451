// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The limits of a request for a search without a makespan: a hundred rows of a table count as a node.
[[nodiscard]] inline search_options limits_of(const plan_request& request) {
  search_options limits;
  limits.time_limit = request.search.time_limit;
  limits.stop = request.search.stop;
  const auto& nodes = request.search.node_limit;
  if (nodes) limits.node_limit = *nodes < ~std::size_t{0} / 100 ? *nodes * 100 : ~std::size_t{0};
  return limits;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
