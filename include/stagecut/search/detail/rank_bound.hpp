// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/detail/least_times.hpp>
#include <stagecut/search/detail/rank_program.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

class rank_bound_lanes;

/// How long a batch takes at least, in ticks, if a rank of a loop has certain stages: a cost of candidates that are the first
/// items of all its stages, and then the items behind their last ones. Trivially copyable. `pair_bounds` for any number of
/// stages a rank: docs/makespan.md, Bounds, Every other schedule.
struct rank_bound {
  using number = double;

  stagecut::engine::tick_rows rows{};
  least_rows least{};
  slot_steps steps{};
  std::size_t rank = 0;
  std::size_t ranks = 1;

  /// See `candidate_cost`. The durations stand first in the room, then the slots.
  /// @{
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room() const noexcept {
    return steps.durations + steps.slots;
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points, strided_view<double> room) const {
    set(points, room);
    return steps.makespan(static_cast<const double*>(room.data()), room.data() + steps.durations * room.stride(),
                          room.stride());
  }
  [[nodiscard]] rank_bound_lanes lanes() const;
  template <class Memory>
  [[nodiscard]] rank_bound placed(Memory& memory) const {
    return {detail::placed_rows(rows, memory), least.placed(memory), steps.placed(memory), rank, ranks};
  }
  /// @}

  /// Writes all durations of a `rank_program`.
  STAGECUT_HOST_DEVICE constexpr void set(candidate points, strided_view<double> times) const {
    using namespace stagecut::detail;
    const std::size_t parts = points.size() / 2;
    times[0] = 0;
    std::size_t before = 0;  // where the rank's stage before ends, and the stage that follows it
    std::size_t next = 0;
    for (std::size_t j = 0; j < parts; ++j) {
      const std::size_t s = rank + j * ranks;
      const std::size_t first = points[j];
      const std::size_t last = points[parts + j];
      const std::size_t to = rank_durations * j;
      const double backward = rows.pass(engine::tick_b, s, first, last);
      const double weight = rows.pass(engine::tick_w, s, first, last);
      times[to + rank_forward] = rows.pass(engine::tick_f, s, first, last);
      times[to + rank_backward] = backward;
      times[to + rank_whole] = backward + weight;
      times[to + rank_weight] = weight;
      const double way = s == 0 ? 0 : messages(next, before, s, first);
      times[to + rank_down] =
          least.forward[first] - least.forward[before] + least.own_forward[s] - least.own_forward[next] + way;
      times[to + rank_up] =
          least.backward[first] - least.backward[before] + least.own_backward[s] - least.own_backward[next] + way;
      before = last;
      next = s + 1;
    }
    times[rank_durations * parts + 1] = turn(before, next);
  }

 private:
  /// How long a message is under way to stage s, cut at `first`, from the stage before `next`, cut at `before`; there is none
  /// before stage 0. What lies between takes its least.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double messages(std::size_t next, std::size_t before, std::size_t s,
                                                               std::size_t first) const {
    if (next == s) return rows.message(s - 1, first);
    const double between = least.messages[s - 1] - least.messages[next];
    return (next == 0 ? 0 : rows.message(next - 1, before)) + between + rows.message(s - 1, first);
  }
  /// Through all stages from `next` on, and back.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double turn(std::size_t end, std::size_t next) const {
    const std::size_t items = rows.items;
    const std::size_t stages = rows.stages;
    double result = least.forward[items] - least.forward[end] + least.backward[items] - least.backward[end];
    result +=
        least.own_forward[stages] - least.own_forward[next] + least.own_backward[stages] - least.own_backward[next];
    if (next == stages) return result;
    return result + 2 * (rows.message(next - 1, end) + least.messages[stages - 1] - least.messages[next]);
  }
};

/// Such candidates in lanes.
class rank_bound_lanes {
 public:
  static constexpr std::size_t width = stagecut::lanes<double>::width;

  explicit rank_bound_lanes(const rank_bound& bound) : bound_(bound), lanes_(bound.steps) {}

  void set(std::size_t lane, candidate points) {
    bound_.set(points, strided_view<double>(&lanes_.time(0, lane), bound_.steps.durations, width));
  }
  [[nodiscard]] view<const double> costs() { return lanes_.run(); }

 private:
  const rank_bound& bound_;
  stagecut::lanes<double> lanes_;
};

inline rank_bound_lanes rank_bound::lanes() const { return rank_bound_lanes(*this); }

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
