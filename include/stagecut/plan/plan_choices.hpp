// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What `compare_plans` is asked, and what it answers.
namespace stagecut::inline STAGECUT_ABI {

/// What is open when a plan is made: `compare_plans` tries every combination. A list that is empty leaves what the
/// request says.
struct plan_choices {
  std::vector<std::size_t> devices{};       ///< pipeline ranks p
  std::vector<std::size_t> chunks{};        ///< stages of every rank
  std::vector<std::size_t> microbatches{};  ///< of an iteration
  std::vector<schedule_kind> schedules{};   ///< which
  /// Devices there are, for as many pipelines side by side as fit, each with its own microbatches; 0: one pipeline,
  /// however small.
  std::size_t all_devices = 0;
  /// Whether combinations that a schedule is not made for have a line, too.
  bool list_impossible = true;
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
  std::size_t group = 0;      ///< of microbatches: `plan_request::group`; 0: the schedule's own

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

/// The schedules that are worth a try: all but SAPP's, those that differ from another one in nothing that a makespan sees,
/// those that ask for more than devices, chunks and microbatches, and, of a model that does not tell the gradient of the
/// weights of every layer, those that run it apart.
[[nodiscard]] STAGECUT_DECL std::vector<schedule_kind> usual_schedules(const profile& model);

/// What is open where a pipeline was chosen and no schedule: the `usual_schedules`, each where it can be made.
///
/// @param model   what is planned
/// @param chunks  stages of every device; 0: one, and two
[[nodiscard]] STAGECUT_DECL plan_choices usual_choices(const profile& model, std::size_t chunks = 0);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_choices.ipp>
#endif
