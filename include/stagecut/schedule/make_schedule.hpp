// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/looped_bfs.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sapp_interleaved.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zbv.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline v0 {

/// For what a schedule is made. What is not said stays at its default.
struct schedule_shape {
  std::size_t ranks = 1;                 ///< p
  std::size_t chunks = 1;                ///< v, stages of every rank
  std::size_t microbatches = 1;          ///< m, of an iteration
  std::size_t group = 0;                 ///< of microbatches, for `interleaved`; 0: as many as ranks
  std::size_t slices = 1;                ///< of every sequence, for `sliced`
  std::vector<std::size_t> in_flight{};  ///< microbatches that every rank lets in, for `in_flight`
};

namespace detail {

/// Refuses what is said of a schedule that does not know of it.
inline void check_schedule_shape(schedule_kind kind, const schedule_shape& shape) {
  const schedule_entry& entry = schedules[static_cast<std::size_t>(kind)];
  const auto refuse = [&](const char* argument, std::size_t value, const char* before) {
    refuse_shape("make_schedule", argument, value, joined(before, entry.name));
  };
  if (entry.chunks == 1 && shape.chunks != 1) refuse("chunks", shape.chunks, "must be 1 for ");
  if (entry.chunks == 2 && shape.chunks != 2) refuse("chunks", shape.chunks, "must be 2 for ");
  if (kind != schedule_kind::interleaved && shape.group != 0) refuse("group", shape.group, "must be 0 for ");
  if (kind != schedule_kind::sliced && shape.slices != 1) refuse("slices", shape.slices, "must be 1 for ");
  const std::size_t length = shape.in_flight.size();
  if (kind != schedule_kind::in_flight && length != 0) refuse("in_flight.size()", length, "must be 0 for ");
  if (kind == schedule_kind::in_flight && length != shape.ranks) {
    refuse_shape("make_schedule", "in_flight.size()", length,
                 joined("must be the number of ranks, ", std::to_string(shape.ranks)));
  }
}

}  // namespace detail

/// The schedule of a kind, for a shape.
///
/// @param kind   which
/// @param shape  p, v, m and what else that schedule asks for
/// @return       what the function of that schedule returns
/// @throws       argument_error for a shape that the schedule cannot have: `chunks` above 1 for 1F1B, not 2 for ZB-V
[[nodiscard]] inline schedule make_schedule(schedule_kind kind, const schedule_shape& shape) {
  detail::check_schedule_shape(kind, shape);
  const std::size_t p = shape.ranks;
  const std::size_t v = shape.chunks;
  const std::size_t m = shape.microbatches;
  switch (kind) {
    case schedule_kind::gpipe: return gpipe(p, m);
    case schedule_kind::gpipe_lifo: return gpipe(p, m, backward_order::last_in_first_out);
    case schedule_kind::one_forward_one_backward: return one_forward_one_backward(p, m);
    case schedule_kind::eager_one_forward_one_backward: return eager_one_forward_one_backward(p, m);
    case schedule_kind::in_flight: return in_flight_order(shape.in_flight, m);
    case schedule_kind::interleaved: return interleaved_one_forward_one_backward(p, v, m, shape.group);
    case schedule_kind::looped_bfs: return looped_bfs(p, v, m);
    case schedule_kind::zb_h1: return zb_h1(p, m);
    case schedule_kind::zb_h2: return zb_h2(p, m);
    case schedule_kind::interleaved_zero_bubble: return interleaved_zero_bubble(p, v, m);
    case schedule_kind::zbv: return zbv(p, m);
    case schedule_kind::dualpipev: return dualpipev(p, m);
    case schedule_kind::sliced: return sliced_one_forward_one_backward(p, m, shape.slices);
    case schedule_kind::sapp_big: return sapp_interleaved(p, v, m, sapp_memory::big);
    case schedule_kind::sapp_less_memory: return sapp_interleaved(p, v, m, sapp_memory::less);
  }
  return {};  // not reached: there are no other kinds
}

}  // namespace stagecut::inline v0
