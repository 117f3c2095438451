// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Refuses what is said of a schedule that does not know of it.
inline void check_schedule_shape(const schedule_entry& entry, const schedule_shape& shape) {
  const auto refuse = [&](const char* argument, std::size_t value, const char* only) {
    refuse_shape("make_schedule", argument, value, joined({"must be ", only, " for ", entry.name}));
  };
  if (entry.chunks != 0 && shape.chunks != entry.chunks) {
    refuse("chunks", shape.chunks, std::to_string(entry.chunks).c_str());
  }
  if (entry.takes != shape_figure::group && shape.group != 0) refuse("group", shape.group, "0");
  if (entry.takes != shape_figure::slices && shape.slices != 1) refuse("slices", shape.slices, "1");
  const std::size_t length = shape.in_flight.size();
  if (entry.takes != shape_figure::in_flight && length != 0) refuse("in_flight.size()", length, "0");
  if (entry.takes == shape_figure::in_flight && length != shape.ranks) {
    refuse_shape("make_schedule", "in_flight.size()", length, joined({"must be the number of ranks, ", shape.ranks}));
  }
}

}  // namespace detail

/// The schedule of a kind, for a shape.
///
/// @param kind   which
/// @param shape  p, v, m and what else that schedule asks for
/// @return       what the function of that schedule returns
/// @throws       argument_error for a shape that the schedule cannot have: `chunks` above 1 for 1F1B, not 2 for ZB-V; and
///               for `schedule_kind::synthesized`, which no shape tells
[[nodiscard]] inline schedule make_schedule(schedule_kind kind, const schedule_shape& shape) {
  const schedule_entry& entry = entry_of(kind);
  if (entry.make == nullptr) {
    detail::fail(argument_error("make_schedule", "kind", entry.name,
                                "needs more than a shape: synthesize_schedule makes it, for what the stages take"));
  }
  detail::check_schedule_shape(entry, shape);
  return entry.make(shape);
}

/// The schedule of a name: `make_schedule("1f1b", {.ranks = 4, .microbatches = 8})`.
///
/// @param name   that of a row of `schedules`
/// @param shape  as above
/// @throws       argument_error likewise, and for a name that there is not, with those that there are
[[nodiscard]] inline schedule make_schedule(std::string_view name, const schedule_shape& shape) {
  const schedule_entry* const entry = find_schedule(name);
  if (entry != nullptr) return make_schedule(entry->kind, shape);
  const auto can = [](const schedule_entry& each) { return each.make != nullptr; };
  detail::fail(argument_error("make_schedule", "name", detail::in_quotes(name),
                              detail::joined({"must be ", stagecut::list_names(schedules, " or ", can)})));
}

}  // namespace stagecut::inline STAGECUT_ABI
