// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>

/// What is too much of so many ranks, stages of each, microbatches and slices: a pass takes up to 4 KB, and some orders take
/// time for every pair of ranks. Empty: nothing.
[[nodiscard]] inline std::string too_large_run(std::size_t ranks, std::size_t chunks, std::size_t m,
                                               std::size_t slices = 1) {
  constexpr std::size_t most = stagecut::most_predicted;
  constexpr std::size_t most_ranks = std::size_t{1} << 14U;
  if (ranks > most_ranks) return fmt::format("more than {} ranks", most_ranks);
  if (ranks == 0 || chunks == 0 || slices == 0) return "";  // which others refuse
  if (chunks <= most / ranks && slices <= most / (ranks * chunks) && m <= most / (ranks * chunks * slices)) return "";
  return fmt::format("more than {} forward passes", most);
}

/// The same of a plan.
[[nodiscard]] inline std::string too_large_run(const stagecut::plan& made) {
  return too_large_run(made.devices, made.chunks, made.schedule.microbatches, made.schedule.slices);
}
