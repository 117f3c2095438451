// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/detail/stage_simulator.hpp>

#include <algorithm>
#include <cstddef>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void stage_simulator::clear(std::size_t stages) {
  forward.assign(stages, 0);
  backward.assign(stages, 0);
  arriving.clear();
  returning.clear();
  arriving_end.clear();
  returning_end.clear();
  clock_.resize(stages);
  ahead_.resize(stages);
  forward_end_.resize(stages);
  backward_end_.resize(stages * m_);
}

STAGECUT_DECL void stage_simulator::end_of_load() {
  free_down_.resize(arriving.size());
  free_up_.resize(returning.size());
}

STAGECUT_DECL double stage_simulator::run(const std::size_t* warm_up) {
  const std::size_t k = forward.size();
  std::size_t rounds = m_;
  for (std::size_t s = 0; s < k; ++s) {
    ahead_[s] = std::min(warm_up[s], m_ - 1);
    rounds = std::max(rounds, m_ + ahead_[s]);
    clock_[s] = 0;
  }
  if (!link_) return run<false>(rounds);
  std::fill(free_down_.begin(), free_down_.end(), 0.0);
  std::fill(free_up_.begin(), free_up_.end(), 0.0);
  return run<true>(rounds);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
