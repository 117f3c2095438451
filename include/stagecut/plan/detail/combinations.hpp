// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The requests of a list of choices.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Says that a schedule does not run the ranks, stages per rank and microbatches of a request.
[[nodiscard]] inline std::string unsupported_shape(const plan_request& request) {
  const schedule_entry& entry = entry_of(request.schedule);
  if (request.stages_per_rank > 1 && entry.stages_per_rank == 1 && entry.with_stages_per_rank != entry.kind) {
    return joined({entry.name, " does not run ", request.stages_per_rank, " stages per rank: ",
                   to_string(entry.with_stages_per_rank), " does"});
  }
  return joined({entry.name, " does not run ", request.devices, " ranks, ", request.stages_per_rank,
                 request.stages_per_rank == 1 ? " stage per rank and " : " stages per rank and ", request.microbatches,
                 request.microbatches == 1 ? " microbatch" : " microbatches"});
}

/// Why one of several requests cannot be planned; empty if it can be tried.
[[nodiscard]] inline std::string shape_obstacle(const profile& model, const plan_request& request) {
  if (!request.in_flight.empty()) {
    const bool fits = request.in_flight.size() == request.devices && request.stages_per_rank == 1 &&
                      may_limit_in_flight(entry_of(request.schedule));
    if (!fits) return "the numbers in flight are for another schedule or other devices";
  } else if (!has_shape(request.schedule, request.devices, request.stages_per_rank, request.microbatches,
                        request.group)) {
    return unsupported_shape(request);
  }
  if (!request.speeds.empty() && request.speeds.size() != request.devices) {
    return "the speeds are those of another number of devices";
  }
  if (!request.memory_limit.of_ranks().empty() && request.memory_limit.of_ranks().size() != request.devices) {
    return "the memory is given for another number of devices";
  }
  if (request.topology && request.topology->devices() < request.devices) return "the topology has fewer devices";
  if (request.links.size() > 1 && request.links.size() + 1 != request.devices * request.stages_per_rank) {
    return "the links are those of another number of stages";
  }
  if (recomputes_apart(request))
    return "the schedule splits the backward pass, and recomputed activations would be held between its parts";
  const bool whole = whole_stages_of(request) == whole_stages::all;
  if (!whole && !model.splits_backward() && entry_of(request.schedule).splits_backward) {
    return "the model has no time for the gradient of the weights alone, which the schedule runs apart";
  }
  return target_obstacle(model, request);
}

/// The combinations of a list of choices, in its order: devices, chunks, microbatches, schedules.
[[nodiscard]] inline std::vector<plan_request> combinations(const plan_request& request, const plan_choices& choices) {
  const auto or_one = [](const auto& list, auto one) {
    auto result = list;
    if (result.empty()) result.push_back(one);
    return result;
  };
  std::vector<plan_request> result;
  for (const std::size_t p : or_one(choices.devices, request.devices)) {
    for (const std::size_t v : or_one(choices.stages_per_rank, request.stages_per_rank)) {
      for (const std::size_t m : or_one(choices.microbatches, request.microbatches)) {
        for (const schedule_kind kind : or_one(choices.schedules, request.schedule)) {
          result.push_back(request);
          result.back().devices = p;
          result.back().stages_per_rank = v;
          result.back().microbatches = m;
          result.back().schedule = kind;
          // The request's schedule depends on chunks; a listed schedule is taken as it is.
          if (choices.schedules.empty() && v > 1) result.back().schedule = entry_of(kind).with_stages_per_rank;
          if (!takes_group(result.back().schedule, v)) result.back().group = 0;
          const schedule_kind listed = result.back().schedule;
          result.back() = in_words_of_target(std::move(result.back()));
          if (!choices.schedules.empty()) result.back().schedule = listed;
        }
      }
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
