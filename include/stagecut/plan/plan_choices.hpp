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

// The input and output of `compare_plans`.
namespace stagecut::inline STAGECUT_ABI {

/// The open choices of a plan: `compare_plans` tries every combination. An empty list keeps the request's value.
struct plan_choices {
  std::vector<std::size_t> devices{};       ///< pipeline ranks p
  std::vector<std::size_t> stages_per_rank{};  ///< stages per rank
  std::vector<std::size_t> microbatches{};     ///< per iteration
  std::vector<schedule_kind> schedules{};      ///< the schedules
  /// Available devices, filled with as many pipelines side by side as fit, each with its own microbatches; 0: one
  /// pipeline, however small.
  std::size_t all_devices = 0;
  /// Whether combinations that a schedule does not support are also listed.
  bool list_impossible = true;
};

/// One combination that was tried.
struct compared_plan {
  std::size_t devices = 0;                           ///< per pipeline
  std::size_t stages_per_rank = 1;                   ///< stages per device
  std::size_t microbatches = 0;                      ///< per pipeline
  schedule_kind schedule = schedule_kind::gpipe;     ///< the schedule
  std::size_t pipelines = 1;                         ///< side by side
  stagecut::state state = stagecut::state::unknown;  ///< of its makespan
  double makespan = 0;                               ///< of its best plan; 0 if there is none
  double bound = 0;                                  ///< no cut finishes earlier; 0 if there is none
  double per_microbatch = 0;  ///< makespan divided by the microbatches of all pipelines; plans are compared by it
  std::string why{};          ///< why there is no plan
  std::size_t group = 0;      ///< microbatch group: `plan_request::group`; 0: the schedule's own

  /// Member-wise equality.
  friend bool operator==(const compared_plan&, const compared_plan&) = default;
};

/// The best of several plans, and the comparison.
struct plan_comparison {
  /// Least time per microbatch; ties go to the first. Optimal if no combination can have a better plan, else feasible
  /// with a bound for all of them.
  outcome<plan> best{};
  std::vector<compared_plan> compared{};  ///< in the order of devices, stages per rank, microbatches, schedules
};

/// The schedules worth trying: all except SAPP's, those with the same makespan as another schedule, those that need
/// more than devices, stages per rank and microbatches, and, if the model has a layer without a separate weight
/// gradient, those that split the backward pass.
[[nodiscard]] STAGECUT_DECL std::vector<schedule_kind> usual_schedules(const profile& model);

/// The open choices if a pipeline was chosen but no schedule: the `usual_schedules`, each where it can be made.
///
/// @param model   the model to plan
/// @param stages_per_rank stages per device; 0: one, and two
[[nodiscard]] STAGECUT_DECL plan_choices usual_choices(const profile& model, std::size_t stages_per_rank = 0);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_choices.ipp>
#endif
