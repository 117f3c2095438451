// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Constraints on dry runs.
struct dry_run_request {
  std::size_t ranks = 0;                     ///< of the pipeline, one stage each; at least 2
  std::size_t layers = 0;                    ///< of the model's body; at least as many as ranks
  std::vector<std::string> choices{"none"};  ///< recomputations of layers; each layer is run with one of them
  std::size_t runs = 0;                      ///< number to propose; 0: the fewest that determine all parts
  /// Most layers of a rank, so that it does not run out of memory; 0: twice the mean, rounded up.
  std::size_t most_layers = 0;
  /// Microbatches whose activations each rank keeps at its peak; empty: as under 1F1B with at least as many microbatches
  /// as ranks, `ranks` on the first and 1 on the last.
  std::vector<double> in_flight{};
  std::uint64_t seed = 1;  ///< of the search
};

/// The settings of a dry run.
struct dry_run {
  std::vector<std::size_t> layers{};               ///< of every rank, at least 1
  std::vector<std::vector<std::size_t>> counts{};  ///< of every rank, the number of its layers with each choice

  /// Equal in both parts.
  friend bool operator==(const dry_run&, const dry_run&) = default;
};

/// The proposal of `next_dry_run`.
struct dry_run_design {
  std::vector<dry_run> runs{};  ///< in any order
  /// What to measure: the peaks of these runs, with `bytes` still 0; their numbers continue those of existing runs.
  dry_runs to_measure{};
  std::size_t least_runs = 0;  ///< this number is sufficient
  double condition = 0;        ///< of `fit_memory` with these and the existing peaks
  /// False: such a pipeline does not determine the constant, and `fit_memory` needs `constant = false`. This is the case
  /// for two ranks, since each has the head or the tail, and if every run has the same number of layers on all ranks.
  bool constant_determined = false;

  /// Equal in every part.
  friend bool operator==(const dry_run_design&, const dry_run_design&) = default;
};

/// See `next_dry_run`.
struct next_dry_run_fn {
  /// See `next_dry_run`.
  [[nodiscard]] dry_run_design operator()(const dry_run_request& request, const dry_runs& existing = {}) const;
};

/// Proposes dry runs that determine the memory of all parts of a model with the least amplification of errors of the
/// peaks.
///
/// @param request   the pipeline, and the number of runs
/// @param existing  previous measurements; those of another pipeline of the same model may also help
/// @return          runs from which `fit_memory` determines all parts, except the constant if no run determines it
/// @throws          argument_error for less than 2 ranks, fewer layers than ranks, too few runs to determine all parts,
///                  `most_layers` below the mean, numbers of microbatches that are not above 0 or not one per rank,
///                  choices other than those of `existing`, and pipelines that no runs can determine, such as 3 ranks
///                  with one layer each; invalid_input for choices and existing peaks that `fit_memory` would reject
///
/// Maximizes the determinant of the information matrix (D-optimal) by exchanges from 12 random starting points, or 2 for
/// more than 64 peaks: a local optimum, and `least_runs` is the least number for which one was found. On each rank all
/// layers have one choice, which is no worse than any mixture. Deterministic for equal seeds. For r runs, p ranks, c
/// choices and u unknowns a sweep of the search takes O(r p (c + min(p, 16)) u^3), and there are some tens of them.
///
/// Source: V. V. Fedorov, Theory of Optimal Experiments, 1972, chapter 3.
inline constexpr next_dry_run_fn next_dry_run{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/next_dry_run.ipp>
#endif
