// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_schedules.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What the target of a request requires apart from the cut.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Why the target of a request runs no pipeline of these numbers; empty: it does, or there is no target.
[[nodiscard]] inline std::string target_obstacle(const profile& model, const plan_request& request) {
  if (request.target == framework::none) return "";
  const target_entry& entry = entry_of(request.target);
  if (request.stages_per_rank != 1 && !entry.several_chunks) {
    return joined({request.stages_per_rank, " stages on every device, and it knows only one"});
  }
  if (model.inference) return "";
  return schedule_obstacle(entry, to_string(requested_kind(request)), request.devices, request.stages_per_rank,
                           request.microbatches, request.group);
}

/// A request with a schedule that its target runs: if 1F1B is only the default and the target runs only others, the
/// target's, in the microbatch groups that it supports.
[[nodiscard]] inline plan_request in_words_of_target(plan_request request) {
  if (request.target == framework::none || request.devices == 0) return request;
  const target_entry& entry = entry_of(request.target);
  if (request.schedule == schedule_kind::one_forward_one_backward && !entry.schedules.empty() &&
      find_schedule(entry, request.schedule) == nullptr) {
    request.schedule = entry.schedules[0].kind;
  }
  const bool grouped = requested_kind(request) == schedule_kind::interleaved;
  if (grouped && request.group == 0 && entry.group != nullptr && request.microbatches % request.devices != 0) {
    request.group = entry.group(request.devices, request.microbatches);
  }
  return request;
}

/// Rejects a model for which the target of a request can express no plan.
/// @throws not_representable
inline void check_target_model(const profile& model, const plan_request& request) {
  if (request.target == framework::none) return;
  const target_entry& entry = entry_of(request.target);
  std::string why = kinds_obstacle(entry, model);
  if (why.empty()) why = names_obstacle(entry, model);
  if (why.empty()) why = shared_obstacle(entry, model, request.devices * request.stages_per_rank);
  if (!why.empty()) fail(not_representable(entry.name, why, "model"));
}

/// A request as its target requires it: its schedule, and the layers that share a stage.
/// @throws not_representable for a model, or a schedule with its numbers, that the target cannot express
[[nodiscard]] inline plan_request with_target(const profile& model, const plan_request& request) {
  if (request.target == framework::none) return request;
  plan_request result = in_words_of_target(request);
  const target_entry& entry = entry_of(request.target);
  check_target_model(model, request);
  const std::string why = request.devices == 0 ? std::string() : target_obstacle(model, result);
  if (!why.empty()) fail(not_representable(entry.name, why, "schedule"));
  for (const interval each : kept_by_target(entry, model)) result.kept_together.push_back(each);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
