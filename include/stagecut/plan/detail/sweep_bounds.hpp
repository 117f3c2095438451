// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/plan/detail/requested_schedule.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/sequence/chain_limits.hpp>

// What the memory of the fullest device is not below, in any plan of a request.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Bytes that the fullest device of no plan of a request is below. With a stage on each device the least that the fullest
/// one needs, to a thousandth; else the mean of what all devices hold at least.
[[nodiscard]] inline double least_fullest_device(const profile& model, const cuts& blocks, const plan_request& asked,
                                                 const chain_limits& limits) {
  const training_memory memory(model, asked.memory);
  double all = memory(0, memory.size(), 1).resident;
  // A device holds all that a microbatch left there while its last stage works on it.
  if (asked.memory.checkpoint == checkpointing::never) all += memory.of_microbatch(0, memory.size());
  const double mean = all / static_cast<double>(asked.devices);
  if (asked.chunks > 1 || asked.devices > blocks.stages()) return mean;
  memory_fit fits(blocks, memory, limits);
  const std::vector<std::size_t> in_flight = microbatches_in_flight(schedule_of_request(asked));
  const double least = detail::least_that_fits([&](double bytes) { return fits(in_flight, bytes); }, mean, 0x1p-10).low;
  return least < mean ? mean : least;
}

/// Whether a plan that was found takes less time and no more memory than any plan of another row can. What rounds is no
/// proof: bounds count as a little lower than they are.
[[nodiscard]] inline bool is_dominated(const sweep_row& row, const sweep_row& found) {
  constexpr double almost = 1 - 0x1p-40;
  const double time = row.bound / static_cast<double>(row.microbatches);
  return found.per_microbatch < time * almost && found.memory <= row.memory_bound * almost;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
