// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/model_rules.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL std::vector<detail::stage_moments> moments_of(const schedule& order) {
  const order_moments moments(order, true);
  std::vector<detail::stage_moments> result;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    const auto held = moments.alone(s);
    result.emplace_back(held.begin(), held.end());
    if (result.back().empty()) result.back().emplace_back();
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
