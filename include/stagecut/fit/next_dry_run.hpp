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

/// What dry runs may be.
struct dry_run_request {
  std::size_t ranks = 0;                     ///< of the pipeline, one stage each; 2 at least
  std::size_t layers = 0;                    ///< of the model's body; as many as ranks at least
  std::vector<std::string> choices{"none"};  ///< what layers may recompute; each layer is run with one of them
  std::size_t runs = 0;                      ///< how many to propose; 0: as few as tell all
  /// Layers of a rank at most, so that it does not run out of memory; 0: twice the mean, rounded up.
  std::size_t most_layers = 0;
  /// Microbatches whose activations each rank keeps at its peak; empty: as under 1F1B with as many microbatches as ranks
  /// at least, `ranks` on the first and 1 on the last.
  std::vector<double> in_flight{};
  std::uint64_t seed = 1;  ///< of the search
};

/// How a dry run is set up.
struct dry_run {
  std::vector<std::size_t> layers{};               ///< of every rank, 1 at least
  std::vector<std::vector<std::size_t>> counts{};  ///< of every rank, how many of these are run with each choice

  /// Equal in both parts.
  friend bool operator==(const dry_run&, const dry_run&) = default;
};

/// What `next_dry_run` proposes.
struct dry_run_design {
  std::vector<dry_run> runs{};  ///< in any order
  /// What to measure: the peaks of these runs, `bytes` being 0 yet; their runs are numbered on from those that exist.
  dry_runs to_measure{};
  std::size_t least_runs = 0;  ///< so few are enough
  double condition = 0;        ///< as `fit_memory` will have it, with the peaks that exist
  /// False: such a pipeline does not tell it, and `fit_memory` needs `constant = false`. So it is of two ranks, since
  /// each has the head or the tail, and where all ranks hold as many layers, whatever the run.
  bool constant_told = false;

  /// Equal in every part.
  friend bool operator==(const dry_run_design&, const dry_run_design&) = default;
};

/// See `next_dry_run`.
struct next_dry_run_fn {
  /// See `next_dry_run`.
  [[nodiscard]] dry_run_design operator()(const dry_run_request& request, const dry_runs& existing = {}) const;
};

/// Proposes dry runs whose peaks tell the memory of all parts of a model, so that errors of peaks grow least in these.
///
/// @param request   the pipeline, and how many runs
/// @param existing  what was measured before; that of another pipeline of the same model may help as well
/// @return          runs of which `fit_memory` tells all, the constant apart where no run tells it
/// @throws          argument_error for less than 2 ranks, fewer layers than ranks, fewer runs than tell all, fewer layers
///                  of a rank than the mean, numbers of microbatches that are not above 0 or not of every rank, choices
///                  that are not those of `existing`, and pipelines whose runs never tell all, as do 3 ranks of a layer each;
///                  invalid_input for choices and existing peaks that `fit_memory` would refuse
///
/// Maximises the determinant of the information (D-optimal) by exchanges from 12 random beginnings, of more than 64 peaks
/// from 2: a local optimum, and the least number of runs is that for which one was found. On each rank all layers are run
/// with one choice, which is no worse than any mixture. Deterministic, with equal seeds. Of r runs, p ranks, c choices and
/// u unknowns a sweep of the search takes O(r p (c + min(p, 16)) u^3), and there are some tens of them.
///
/// Source: V. V. Fedorov, Theory of Optimal Experiments, 1972, chapter 3.
inline constexpr next_dry_run_fn next_dry_run{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/next_dry_run.ipp>
#endif
