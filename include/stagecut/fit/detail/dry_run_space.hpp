// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/fit/detail/memory_unknowns.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The layers of a rank, which all are run with one choice: with given numbers of layers the determinant of the information
/// is convex in how many of a rank's layers are run with each choice, so that the best runs have one on each rank.
struct rank_load {
  std::size_t layers = 1;
  std::size_t choice = 0;
};
using run_loads = std::vector<rank_load>;  // of every rank

/// The runs that a pipeline can have, and what is to be told of them.
struct dry_run_space {
  std::size_t ranks = 0;
  std::size_t layers = 0;
  std::size_t most_layers = 0;  // of a rank
  std::size_t choices = 0;
  std::vector<double> in_flight{};
  std::vector<memory_unknown> unknowns{};

  /// Makes `of` the peak of a rank, in the room that it has.
  void set_peak(rank_peak& of, std::size_t rank, const rank_load& load) const {
    of.rank = rank;
    of.layers = load.layers;
    of.kept.assign(choices, 0);
    of.kept[load.choice] = in_flight[rank] * static_cast<double>(load.layers);
    of.has_head = rank == 0;
    of.has_tail = rank + 1 == ranks;
  }
  [[nodiscard]] rank_peak peak(std::size_t run, std::size_t rank, const rank_load& load) const {
    rank_peak made{.run = run};
    set_peak(made, rank, load);
    return made;
  }
  [[nodiscard]] std::vector<rank_peak> peaks(const std::vector<run_loads>& runs, std::size_t first_run) const {
    std::vector<rank_peak> made;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t r = 0; r < ranks; ++r) made.push_back(peak(first_run + i, r, runs[i][r]));
    }
    return made;
  }
  /// Of every rank all that it can be: the equations of these have the rank of as many runs as one likes.
  [[nodiscard]] std::vector<rank_peak> all_peaks() const {
    const std::size_t others = ranks - 1;
    const std::size_t least = layers > others * most_layers ? layers - others * most_layers : 1;
    std::vector<rank_peak> made;
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t c = 0; c < choices; ++c) {
        made.push_back(peak(0, r, {least, c}));
        made.push_back(peak(0, r, {most_layers, c}));
      }
    }
    return made;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
