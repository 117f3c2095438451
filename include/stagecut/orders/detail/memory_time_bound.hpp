// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A lower bound on an iteration from the memory of a rank: the sum of bytes times holding time over the rank's memory.
///
/// @param heads  of passes, letter * microbatches + microbatch; tails in the same layout
[[nodiscard]] inline std::int64_t memory_time_bound(const schedule_problem& of, std::size_t rank,
                                                    const std::vector<std::int64_t>& heads,
                                                    const std::vector<std::int64_t>& tails);

inline std::int64_t memory_time_bound(const schedule_problem& of, std::size_t rank,
                                      const std::vector<std::int64_t>& heads, const std::vector<std::int64_t>& tails) {
  const std::size_t m = of.microbatches;
  if (!of.capped() || of.memory[rank] == 0 || of.stages_of[rank].empty()) return 0;
  wide_integer held = 0;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t behind = first;
  for (const std::size_t s : of.stages_of[rank]) {
    wide_integer trip = of.time[forward_of(s)] + of.time[backward_of(s)];
    for (std::size_t t = s + 1; t < of.stages(); ++t) {
      trip += of.time[forward_of(t)] + of.time[backward_of(t)] + of.down[t - 1] + of.up[t - 1];
    }
    held += of.kept[s] * trip;
    if (of.split) held += static_cast<wide_integer>(of.late[s]) * of.time[weight_of(s)];
    first = std::min(first, heads[forward_of(s) * m]);
    for (std::size_t kind = 1; kind < of.kinds(); ++kind) {
      behind = std::min(behind, tails[(kinds_of_pass * s + kind) * m + m - 1]);
    }
  }
  if (first < 0 || behind < 0) return 0;
  const wide_integer memory = of.memory[rank];
  return first + static_cast<std::int64_t>((held * static_cast<wide_integer>(m) + memory - 1) / memory) + behind;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
