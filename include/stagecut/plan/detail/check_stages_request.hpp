// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What makes no sense in a request whose stages are cut by their costs, and what they keep.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Refuses microbatches that the schedule of a request cannot run, as it does itself.
inline void check_shape_of(const plan_request& request) {
  const schedule_entry& meant = entry_of(requested_kind(request));
  if (request.microbatches == 0 || request.group != 0 || meant.fits == nullptr) return;
  if (meant.fits(request.devices, request.chunks, request.microbatches)) return;
  (void)schedule_of_request(request);
}

/// Whether it is known what stages keep: by a rule, or by the order of a schedule that can be made.
[[nodiscard]] inline bool knows_in_flight(const plan_request& request) {
  const bool rule = request.chunks == 1 && entry_of(request.schedule).most_in_flight != nullptr;
  return rule || !request.in_flight.empty() || prediction_obstacle(request).empty();
}

/// Refuses what cannot be planned by the costs of stages.
inline void check_stages_request(std::string_view function, const profile& model, const plan_request& request) {
  check_request(function, model, request);
  const auto refuse = [&](const char* argument, const std::string& value, const std::string& requirement) {
    fail(argument_error(function, argument, value, requirement));
  };
  const bool spread = request.objective == plan_objective::range || request.objective == plan_objective::variance;
  if (spread && !(request.speeds.empty() && request.links.empty() && !request.topology)) {
    refuse("objective", to_string(request.objective),
           "is of equal devices without messages: times that do not add up to the same whatever the cut have no mean "
           "to be near");
  }
  if (request.objective == plan_objective::makespan) refuse("objective", "makespan", "is what make_plan minimises");
  const schedule_entry& entry = entry_of(request.schedule);
  if (needs_more(entry)) refuse("schedule", entry.name, "is not one that a chain is planned for");
  if (entry.chunks == 0 && request.chunks == 1) refuse("schedule", entry.name, "needs chunks above 1");
  if (request.chunks > 1 && entry_of(entry.with_chunks).chunks == 1) {
    refuse("schedule", entry.name, "has one stage on each device: chunks must be 1");
  }
  if (request.chunks == 1 && entry.chunks > 1) {
    refuse("schedule", entry.name, joined({"has ", entry.chunks, " stages on each device: chunks must say so"}));
  }
  check_shape_of(request);
  if (recomputes_apart(request)) {
    refuse("memory.checkpoint", "always", joined({"needs a schedule that runs B as one, not ", entry.name}));
  }
  if (has_memory_limit(request) && !knows_in_flight(request)) {
    const bool one = request.memory_per_device.has_value();
    refuse(one ? "memory_per_device" : "memory_of_devices",
           one ? std::to_string(*request.memory_per_device) : std::string("{…}"),
           joined({"limits what the order of ", entry_of(requested_kind(request)).name,
                   " keeps, and that is not known: ", prediction_obstacle(request)}));
  }
  if (request.memory.checkpoint == checkpointing::except_last && !may_keep_last(entry)) {
    const auto may = [](const schedule_entry& each) { return may_keep_last(each); };
    refuse("memory.checkpoint", "except_last",
           joined({"needs the schedule ", stagecut::list_names(schedules, " or ", may),
                   ", where the last microbatch is the first to go back"}));
  }
}

/// Microbatches in flight, of every stage; empty if that is not known. In inference groups of requests, one unless said.
[[nodiscard]] inline std::vector<std::size_t> microbatches_kept(const profile& model, const plan_request& request) {
  std::vector<std::size_t> result = request.in_flight;
  if (model.inference) {
    result.resize(request.devices, 1);
    return result;
  }
  const schedule_entry& entry = entry_of(request.schedule);
  const bool rule = request.chunks == 1 && entry.most_in_flight != nullptr;
  if (result.empty() && !rule && prediction_obstacle(request).empty()) {
    return microbatches_in_flight(schedule_of_request(request));
  }
  const bool all = rule && entry.most_in_flight(request.devices, 0) == all_in_flight;
  if (result.empty() && rule && (!all || request.microbatches != 0 || has_memory_limit(request))) {
    return microbatches_in_flight(request.schedule, request.devices, request.microbatches);
  }
  for (std::size_t& each : result) {
    if (request.microbatches != 0 && request.microbatches < each) each = request.microbatches;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
