// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/make_schedule.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_schedule_shape(const schedule_entry& entry, const schedule_shape& shape) {
  const auto refuse = [&](const char* argument, std::size_t value, const char* only) {
    refuse_shape("make_schedule", argument, value, joined({"must be ", only, " for ", entry.name}));
  };
  if (entry.stages_per_rank != 0 && shape.stages_per_rank != entry.stages_per_rank) {
    refuse("stages_per_rank", shape.stages_per_rank, std::to_string(entry.stages_per_rank).c_str());
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

STAGECUT_DECL schedule make_schedule(schedule_kind kind, const schedule_shape& shape) {
  const schedule_entry& entry = entry_of(kind);
  if (entry.make == nullptr) {
    detail::fail(argument_error("make_schedule", "kind", entry.name,
                                "needs more than a shape: synthesize_schedule makes it, for what the stages take"));
  }
  detail::check_schedule_shape(entry, shape);
  return entry.make(shape);
}

STAGECUT_DECL schedule make_schedule(std::string_view name, const schedule_shape& shape) {
  const schedule_entry* const entry = find_schedule(name);
  if (entry != nullptr) return make_schedule(entry->kind, shape);
  const auto can = [](const schedule_entry& each) { return each.make != nullptr; };
  detail::fail(argument_error("make_schedule", "name", detail::in_quotes(name),
                              detail::joined({"must be ", stagecut::list_names(schedules, " or ", can)})));
}

}  // namespace stagecut::inline STAGECUT_ABI
