// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <stagecut/joint/nested_machines.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// All devices of machines.
[[nodiscard]] inline std::size_t devices_in(const nested_machines& machines) noexcept {
  std::size_t product = 1;
  for (const machine_level& each : machines.levels) product *= each.count;
  return product;
}

/// What bounds all plans of a model on nested machines, whatever sets of layers their stages are.
struct nested_bound {
  double seconds = 0;  ///< that the slowest stage takes at least, as computed
  double error = 0;    ///< by which that may be off, as times of stages are differences of sums
};

/// All machines of a level and of those inside it are W. A stage with r replicas takes at least 1/r of what the level below
/// makes of it, messages and gradients only add to that. So by induction a level takes at least 1/W of the seconds of its
/// layers: where the slowest of its stages takes V, each of them has at most `V r W'` seconds of layers, W' being inside one
/// of its machines, and their r sum to at most `W/W'`. A layer is in one stage of each level, which has its seconds and
/// its parameters at least: so if the level below takes t for it, this one takes the least of `(t + 4 (r - 1) p / (b r)) / r`,
/// and at the innermost level t are its seconds.
///
/// @param states  points of the model
[[nodiscard]] inline nested_bound bound_of_nested(const profile& model, const pipeline_states& states,
                                                  const nested_machines& machines) {
  nested_bound result{states.seconds[states.size()], states.seconds[states.size()]};
  for (const machine_level& level : machines.levels) {
    result.seconds /= static_cast<double>(level.count);
    if (level.bandwidth != 0) result.error += 4 * states.parameters[states.size()] / level.bandwidth;
  }
  for (const layer& each : model.layers) {
    double time = each.time();
    for (const machine_level& level : machines.levels) {
      double least = time;
      for (std::size_t replicas = 2; !machines.straight && replicas <= level.count; ++replicas) {
        const auto r = static_cast<double>(replicas);
        const double exchange = level.bandwidth == 0 ? 0 : 4 * (r - 1) * each.parameters / (level.bandwidth * r);
        const double taken = (time + exchange) / r;
        least = std::min(least, taken);
      }
      time = least;
    }
    result.seconds = time > result.seconds ? time : result.seconds;
  }
  // Each sum of n numbers is off by less than n 2^-53 of it, and a stage takes two of each.
  result.error *= static_cast<double>(model.layers.size() + 4 * machines.levels.size() + 16) * 0x1p-51;
  return result;
}

/// How many points of an order make a plan in a tenth of a second or so.
[[nodiscard]] inline std::size_t points_in_time(const nested_machines& machines, std::size_t layers) {
  constexpr double most_steps = 1e7;
  const auto steps = [&](std::size_t points) {
    const auto n = static_cast<double>(points);
    double sum = 0;
    for (std::size_t l = 0; l < machines.levels.size(); ++l) {
      const auto m = static_cast<double>(machines.levels[l].count);
      sum += l + 1 < machines.levels.size() ? n * n * n * m * m / 12 : n * n * m * m / 4;
    }
    return sum;
  };
  std::size_t points = 16;
  while (points < layers && steps(points) < most_steps) ++points;
  return points;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
