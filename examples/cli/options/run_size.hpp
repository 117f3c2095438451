// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>

/// Why a run of these ranks, stages per rank, microbatches and slices is too large: a pass takes up to 4 KB, and some
/// schedules take time per pair of ranks. Empty: it is not.
[[nodiscard]] inline std::string too_large_run(std::size_t ranks, std::size_t per_rank, std::size_t m,
                                               std::size_t slices = 1) {
  constexpr std::size_t most = stagecut::most_predicted;
  constexpr std::size_t most_ranks = std::size_t{1} << 14U;
  if (ranks > most_ranks) return fmt::format("more than {} ranks", most_ranks);
  if (ranks == 0 || per_rank == 0 || slices == 0) return "";  // rejected elsewhere
  if (per_rank <= most / ranks && slices <= most / (ranks * per_rank) && m <= most / (ranks * per_rank * slices))
    return "";
  return fmt::format("more than {} forward passes", most);
}

/// The same for a plan.
[[nodiscard]] inline std::string too_large_run(const stagecut::plan& made) {
  return too_large_run(made.devices, made.stages_per_rank, made.schedule.microbatches, made.schedule.slices);
}
