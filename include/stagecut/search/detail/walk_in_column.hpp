// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>
#include <stagecut/engine/point_moves.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/chain_walk.hpp>
#include <stagecut/search/detail/makespan_steps.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// A round of the chain of an index, with its points in the column.
struct walk_in_column {
  using number = double;

  chain_walk walk{};
  makespan_steps simulate{};
  chain_round round{};

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t room() const { return simulate.room(); }
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t points() const { return walk.chains.width; }
  STAGECUT_HOST_DEVICE void operator()(std::size_t chain, strided_view<double> numbers, candidate_room points) const {
    std::uint32_t* const own = walk.chains.points + chain * points.size();
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = own[i];
    if (walk.begin(chain, round)) walk.start(chain, points, simulate(points, numbers));
    for (std::size_t i = 0; i < round.steps; ++i) {
      stagecut::engine::point_move move;
      double warmth = 0;
      if (!walk.draw(chain, round, i, points, move, warmth)) continue;
      if (!walk.take(chain, points, simulate(points, numbers), warmth)) move.unshift(points);
    }
    for (std::size_t i = 0; i < points.size(); ++i) own[i] = points[i];
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
