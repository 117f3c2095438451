// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The problem of a search for the smallest makespan: the chain, the schedule, and the allowed cuts.
struct cut_problem {
  const chain_ticks& chain;
  const schedule& order;
  transfer_kind transfers;
  const cut_rules& rules;
};

/// Whether points from outside form a cut of all items.
[[nodiscard]] inline bool is_cut(view<const std::size_t> points, std::size_t items) {
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    if (points[s] >= points[s + 1]) return false;
  }
  return points[0] == 0 && points[points.size() - 1] == items;
}

/// The number of cuts of a chain, allowed or not; infinite beyond the range of doubles.
[[nodiscard]] inline double number_of_cuts(std::size_t items, std::size_t stages) {
  double result = 1;
  for (std::size_t j = 1; j < stages; ++j) {
    result *= static_cast<double>(items - j) / static_cast<double>(j);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
