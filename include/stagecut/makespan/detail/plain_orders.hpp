// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/makespan/cut_and_order_request.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// Orders that need no search: one at a time, and those that have a name.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The ranks of a request.
[[nodiscard]] STAGECUT_DECL std::size_t ranks_of(const cut_and_order_request& request);

/// Each microbatch when the one before is through, backward passes whole: whatever fits at all has room for that.
[[nodiscard]] STAGECUT_DECL schedule one_at_a_time(const cut_and_order_request& request);

/// The ops of a rank, B in place of I on stages that run it whole.
[[nodiscard]] STAGECUT_DECL std::vector<op> with_whole(const std::vector<op>& ops,
                                                       const cut_and_order_request& request);

/// The named schedules of the ranks, stages and microbatches of a request, but those with passes that overlap. With stages
/// that run B, whole, beside others they have no name.
[[nodiscard]] STAGECUT_DECL std::vector<schedule> named_orders(const cut_and_order_request& request);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/plain_orders.ipp>
#endif
