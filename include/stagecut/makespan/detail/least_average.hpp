// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// All passes, spread evenly over the ranks: no cut takes less. See docs/makespan.md, Bounds, And for all.
[[nodiscard]] inline double least_average(const engine::chain_ticks& chain, const schedule& order) {
  double sum = 0;
  for (std::size_t i = 0; i < chain.items; ++i) {
    sum += chain.least([&](std::size_t s) { return chain.item_load(s, i); });
  }
  for (std::size_t s = 0; s < chain.stages; ++s) sum += chain.own_load(s);
  const auto all = sum * static_cast<double>(order.microbatches * order.slices);
  const auto share = all / static_cast<double>(order.ranks());
  return engine::whole_ticks(all < 0x1p50 ? share : share * (1 - 0x1p-50));  // above that, it may have been rounded up
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
