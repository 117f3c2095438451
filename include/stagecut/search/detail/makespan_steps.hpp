// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/host_device.hpp>
#include <stagecut/engine/duration_row.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// `tick_rows` with arrays placed by `memory`.
template <class Memory>
[[nodiscard]] stagecut::engine::tick_rows placed_rows(stagecut::engine::tick_rows rows, Memory& memory) {
  rows.sums = memory(rows.sums);
  rows.own = memory(rows.own);
  rows.messages = memory(rows.messages);
  rows.boundary = memory(rows.boundary);
  return rows;
}

/// The device view of `cut_makespan`.
struct makespan_steps {
  using number = double;

  stagecut::engine::tick_rows rows{};
  stagecut::engine::duration_row durations{};
  slot_steps steps{};
  double tick = 1;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room() const noexcept {
    return steps.durations + steps.slots;
  }

  /// The scratch memory holds the durations, then the slots.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points, strided_view<double> room) const {
    room[0] = 0;
    for (std::size_t d = 1; d < steps.durations; ++d) room[d] = durations.of(d, rows, points);
    const double* const times = room.data();
    return tick * steps.makespan(times, room.data() + steps.durations * room.stride(), room.stride());
  }

  /// The same, with arrays placed by `memory`.
  template <class Memory>
  [[nodiscard]] makespan_steps placed(Memory& memory) const {
    makespan_steps result = *this;
    result.rows = detail::placed_rows(rows, memory);
    result.durations.first = memory(durations.first);
    result.durations.terms = memory(durations.terms);
    result.steps = steps.placed(memory);
    return result;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
