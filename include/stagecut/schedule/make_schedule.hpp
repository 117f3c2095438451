// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Refuses what is said of a schedule that does not know of it.
STAGECUT_DECL void check_schedule_shape(const schedule_entry& entry, const schedule_shape& shape);

}  // namespace detail

/// The schedule of a kind, for a shape.
///
/// @param kind   which
/// @param shape  p, v, m and what else that schedule asks for
/// @return       what the function of that schedule returns
/// @throws       argument_error for a shape that the schedule cannot have: `chunks` above 1 for 1F1B, not 2 for ZB-V; and
///               for `schedule_kind::synthesized`, which no shape tells
[[nodiscard]] STAGECUT_DECL schedule make_schedule(schedule_kind kind, const schedule_shape& shape);

/// The schedule of a name: `make_schedule("1f1b", {.ranks = 4, .microbatches = 8})`.
///
/// @param name   that of a row of `schedules`
/// @param shape  as above
/// @throws       argument_error likewise, and for a name that there is not, with those that there are
[[nodiscard]] STAGECUT_DECL schedule make_schedule(std::string_view name, const schedule_shape& shape);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/make_schedule.ipp>
#endif
