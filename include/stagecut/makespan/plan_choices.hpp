// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/plan.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline v0 {

/// What is open when a plan is made: `minimize_makespan` tries every combination. A list that is empty leaves what the
/// request says.
struct plan_choices {
  std::vector<std::size_t> devices{};       ///< pipeline ranks p
  std::vector<std::size_t> chunks{};        ///< stages of every rank
  std::vector<std::size_t> microbatches{};  ///< of an iteration
  std::vector<schedule_kind> schedules{};   ///< which
  /// Devices there are, for as many pipelines side by side as fit, each with its own microbatches; 0: one pipeline,
  /// however small.
  std::size_t all_devices = 0;
};

/// One combination that was tried.
struct compared_plan {
  std::size_t devices = 0;                           ///< of a pipeline
  std::size_t chunks = 1;                            ///< stages of every device
  std::size_t microbatches = 0;                      ///< of a pipeline
  schedule_kind schedule = schedule_kind::gpipe;     ///< which
  std::size_t pipelines = 1;                         ///< side by side
  stagecut::state state = stagecut::state::unknown;  ///< of its makespan
  double makespan = 0;                               ///< of its best plan; 0 if there is none
  double bound = 0;                                  ///< no cut ends earlier; 0 if there is none
  double per_microbatch = 0;  ///< makespan by microbatches of all pipelines, by which plans are compared
  std::string why{};          ///< why there is no plan

  /// Equal in every part.
  friend bool operator==(const compared_plan&, const compared_plan&) = default;
};

/// The best plan of several, and what it was compared with.
struct plan_comparison {
  /// Least time for a microbatch; of equal ones the first. Optimal if no combination can have a better plan, else feasible
  /// with a bound that none of them is below.
  outcome<plan> best{};
  std::vector<compared_plan> compared{};  ///< in the order of devices, chunks, microbatches, schedules
};

/// Whether a schedule can be made for so many ranks, chunks and microbatches, and is not another one with a single chunk;
/// those that ask for more figures cannot.
[[nodiscard]] constexpr bool has_shape(schedule_kind kind, std::size_t ranks, std::size_t chunks,
                                       std::size_t microbatches) noexcept {
  if (ranks == 0 || chunks == 0 || microbatches == 0) return false;
  const std::size_t wanted = schedules[static_cast<std::size_t>(kind)].chunks;
  if (wanted == 0 ? chunks == 1 : wanted != chunks) return false;
  switch (kind) {
    case schedule_kind::in_flight:
    case schedule_kind::sliced: return false;
    case schedule_kind::interleaved: return microbatches % ranks == 0;
    case schedule_kind::zb_h1:
    case schedule_kind::zb_h2:
    case schedule_kind::dualpipev: return microbatches >= 2 * ranks;
    case schedule_kind::interleaved_zero_bubble:
      return microbatches < ranks || microbatches % (microbatches / ranks) == 0;
    case schedule_kind::sapp_big:
    case schedule_kind::sapp_less_memory: return microbatches >= ranks;
    default: return true;
  }
}

}  // namespace stagecut::inline v0
