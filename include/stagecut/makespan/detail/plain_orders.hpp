// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// Schedules that need no search: one microbatch at a time, and the named ones.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The ranks of a request.
[[nodiscard]] STAGECUT_DECL std::size_t ranks_of(const cut_and_schedule_request& request);

/// Runs each microbatch after the previous one ends, with unsplit backward passes: the schedule of least memory.
[[nodiscard]] STAGECUT_DECL schedule one_at_a_time(const cut_and_schedule_request& request);

/// The ops of a rank, with B in place of I on stages that run it unsplit.
[[nodiscard]] STAGECUT_DECL std::vector<op> with_whole(const std::vector<op>& ops,
                                                       const cut_and_schedule_request& request);

/// The named schedules of the ranks, stages and microbatches of a request, except those with overlapping passes. None
/// if only some stages run B unsplit.
[[nodiscard]] STAGECUT_DECL std::vector<schedule> named_orders(const cut_and_schedule_request& request);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/plain_orders.ipp>
#endif
