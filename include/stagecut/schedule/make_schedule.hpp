// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects fields that a schedule does not use.
STAGECUT_DECL void check_schedule_shape(const schedule_entry& entry, const schedule_shape& shape);

}  // namespace detail

/// Makes the schedule of a kind for a shape.
///
/// @param kind   the kind
/// @param shape  p, v, m and whatever else the schedule needs
/// @return       the result of that schedule's function
/// @throws       argument_error for a shape that the schedule does not support: `stages_per_rank` above 1 for 1F1B, not 2 for
///               ZB-V; and for `schedule_kind::synthesized`, which a shape does not define
[[nodiscard]] STAGECUT_DECL schedule make_schedule(schedule_kind kind, const schedule_shape& shape);

/// Makes the schedule of a name: `make_schedule("1f1b", {.ranks = 4, .microbatches = 8})`.
///
/// @param name   a name in `schedules`
/// @param shape  as above
/// @throws       argument_error as above, and for an unknown name, with the known ones
[[nodiscard]] STAGECUT_DECL schedule make_schedule(std::string_view name, const schedule_shape& shape);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/make_schedule.ipp>
#endif
