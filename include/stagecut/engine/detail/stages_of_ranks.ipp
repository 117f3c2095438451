// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/stages_of_ranks.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL std::vector<std::vector<std::size_t>> stages_of_ranks(const schedule& order) {
  std::vector<std::vector<std::size_t>> result(order.ranks());
  for (std::size_t s = 0; s < order.stages(); ++s) result[order.rank_of[s]].push_back(s);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
