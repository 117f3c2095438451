// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What of a partition is made less.
enum class refine_objective : std::uint8_t {
  max_load,       ///< the load of the heaviest stage, then of the next, and so on
  communication,  ///< of every message its seconds, for each stage beyond the first that it joins
  makespan        ///< when an iteration ends
};

/// The words for objectives of a refinement.
inline constexpr word<refine_objective> refine_objective_words[] = {{"max-load", refine_objective::max_load},
                                                                    {"communication", refine_objective::communication},
                                                                    {"makespan", refine_objective::makespan}};

/// How a partition is to be made better: see `refine_partition`. What is not said stays at its default.
struct refine_request {
  refine_objective objective = refine_objective::max_load;  ///< what is made less
  std::size_t stages = 0;        ///< how many there are; 0: one more than the greatest number given
  /// Whether a stage may lose its last operator; of a makespan it may, too, where a stage is empty as given.
  bool may_empty = false;
  std::vector<bool> on_cpu{};    ///< whether each stage stands on a CPU; empty: none does
  load_options load{};           ///< how loads and memory are reckoned
  double imbalance = 0.03;       ///< `communication`: by how much a stage's work may be above the average, as a share
  std::size_t most_passes = 50;  ///< the last finds nothing, unless there are more
  std::size_t microbatches = 1;  ///< `makespan`: of an iteration
  transfer_kind transfers = transfer_kind::link;  ///< `makespan`: what messages occupy
  std::size_t samples = 20000;                    ///< `makespan`: moves that are tried in a pass at most
  std::uint64_t seed = 1;       ///< of the order in which equal moves, or moves for a makespan, are tried
  function_ref<bool()> stop{};  ///< asked now and then; true ends the search with the best so far
};

/// A partition that was made better, or left as it is.
struct refined_partition {
  std::vector<std::size_t> stage_of{};  ///< of every operator, from 0; edges lead to the same or a later stage
  std::vector<graph_stage> stages{};    ///< their figures
  std::vector<std::size_t> warm_up{};   ///< `makespan`: forward passes ahead, of every stage
  double before = 0;                    ///< seconds of the objective, as given
  double after = 0;                     ///< likewise, as returned; never more unless `excess` is less
  double excess_before = 0;             ///< `communication`: seconds of work above what stages may have, as given
  double excess = 0;                    ///< likewise, as returned; what counts before the objective
  double bound = 0;                     ///< no partition into these stages has less; equal to `after` if proved
  std::size_t moves = 0;                ///< that were kept
  std::size_t passes = 0;               ///< over the elements

  /// How far the objective may be from the least, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (after - bound) / bound : after > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
