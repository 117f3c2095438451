// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/parts/check_durations.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The start of the first pass of every rank, the same in every schedule: its first op is F of its first stage, of
/// microbatch 0, after those of all previous stages, each the first op of its rank.
/// @throws argument_error if a stage before the first of some rank is not the first of its own rank
template <arithmetic T>
[[nodiscard]] std::vector<T> first_starts(const pass_times<T>& times, const transfer_times<T>& transfers,
                                          const std::vector<std::size_t>& rank_of, std::size_t ranks) {
  std::vector<T> starts;
  T now{};
  for (std::size_t s = 0; s < ranks; ++s) {
    for (std::size_t before = 0; before < s; ++before) {
      if (rank_of[before] != rank_of[s]) continue;
      fail(argument_error(
          "synthesize_schedule", joined({"request.rank_of[", s, "]"}), std::to_string(rank_of[s]),
          "must be another rank than those of the stages before, for the span: when ranks begin depends on "
          "the order else"));
    }
    starts.resize(starts.size() > rank_of[s] ? starts.size() : rank_of[s] + 1);
    starts[rank_of[s]] = now;
    now = detail::duration_sum(now, times.forward[s]);
    const std::size_t hop = transfers.forward.size() == 1 ? 0 : s;
    if (hop < transfers.forward.size()) now = detail::duration_sum(now, transfers.forward[hop]);
  }
  return starts;
}

/// Times whose makespan equals the span of the given ones plus `late`: a rank that begins earlier than the last gets
/// the difference added after its last pass, since it has that much less time for the rest.
template <arithmetic T>
[[nodiscard]] pass_times<T> span_times(pass_times<T> times, const std::vector<T>& starts, T& late) {
  late = T{};
  for (const T start : starts) late = late < start ? start : late;
  if (times.optimizer_step.empty()) times.optimizer_step.resize(starts.size());
  if (times.optimizer_step.size() != starts.size()) return times;  // rejected later
  for (std::size_t r = 0; r < starts.size(); ++r) {
    times.optimizer_step[r] = detail::duration_sum(times.optimizer_step[r], static_cast<T>(late - starts[r]));
  }
  return times;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
