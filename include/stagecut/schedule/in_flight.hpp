// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The most microbatches whose activations each stage holds at a time, from the kind of schedule.
///
/// @param kind          a kind with a closed form, `schedule_entry::most_in_flight`
/// @param stages        number of stages p, each on its own device
/// @param microbatches  microbatches of an iteration, m; 0: unknown, the most that the schedule ever needs
/// @return              for every stage s: m under GPipe, min(p - s, m) under 1F1B, min(2(p - 1 - s) + 1, m) if eager
/// @throws              argument_error for any other kind, and for GPipe without a number of microbatches, as its need
///                      is unbounded
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> microbatches_in_flight(schedule_kind kind, std::size_t stages,
                                                                            std::size_t microbatches);

/// The most microbatches whose activations each stage holds at a time, from a schedule.
///
/// @param order  a schedule, of whole microbatches
/// @return       one number per stage; of overlapping passes, forward counts first. I keeps what W needs
/// @throws       invalid_input as `check_schedule`
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> microbatches_in_flight(const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/in_flight.ipp>
#endif
