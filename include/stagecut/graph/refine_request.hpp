// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The objective that a refinement minimises.
enum class refine_objective : std::uint8_t {
  max_load,       ///< the load of the heaviest stage, then the next, and so on
  communication,  ///< the seconds of every message, for each stage beyond the first that it reaches
  makespan        ///< the end of an iteration
};

/// The words for objectives of a refinement.
inline constexpr named<refine_objective> refine_objective_names[] = {{"max-load", refine_objective::max_load},
                                                                     {"communication", refine_objective::communication},
                                                                     {"makespan", refine_objective::makespan}};

/// How a partition is improved: see `refine_partition`. Unset fields keep their defaults.
struct refine_request {
  refine_objective objective = refine_objective::max_load;  ///< what is minimised
  std::size_t stages = 0;        ///< how many there are; 0: one more than the greatest number given
  /// Whether a stage may lose its last operator; for a makespan it may also if a given stage is empty.
  bool may_empty = false;
  std::vector<bool> on_cpu{};    ///< whether each stage is on a CPU; empty: none is
  load_options load{};           ///< how loads and memory are computed
  double imbalance = 0.03;       ///< `communication`: the most excess of a stage's work over the average, as a share
  std::size_t most_passes = 50;  ///< the last pass finds nothing, unless this limit ends them
  std::size_t microbatches = 1;  ///< `makespan`: per iteration
  transfer_kind transfers = transfer_kind::link;  ///< `makespan`: what messages occupy
  std::size_t samples = 20000;                    ///< `makespan`: the most moves tried in a pass
  /// `seed` is that of the order in which equal moves, or moves for a makespan, are tried. No default limit.
  search_options search{};
};

/// An improved partition, or the given one.
struct refined_partition : solution<double> {
  std::vector<std::size_t> assignment{};  ///< stage of each operator, from 0; edges lead to the same or a later stage
  std::vector<graph_stage> stages{};    ///< their figures
  std::vector<std::size_t> warm_up{};   ///< `makespan`: forward passes ahead, per stage
  double before = 0;                    ///< seconds of the objective, as given
  double excess_before = 0;             ///< `communication`: seconds of work above the stages' limit, as given
  double excess = 0;                    ///< the same, as returned; takes priority over the objective
  std::size_t moves = 0;                ///< moves that were kept
  std::size_t passes = 0;               ///< over the elements
};

}  // namespace stagecut::inline STAGECUT_ABI
