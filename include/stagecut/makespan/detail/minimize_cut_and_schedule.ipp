// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/minimize_cut_and_schedule.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL void minimize_cut_and_schedule_fn::check(const cut_and_schedule_request& request) {
  if (request.rank_of.empty()) refuse("rank_of", "{}", "must have the rank of every stage");
  if (request.microbatches == 0) refuse("microbatches", "0", "must be at least 1");
  const std::size_t stages = request.rank_of.size();
  for (std::size_t s = 0; s < stages; ++s) {
    if (request.rank_of[s] < stages) continue;
    refuse("rank_of[" + std::to_string(s) + "]", std::to_string(request.rank_of[s]),
           "must be below the number of stages");
  }
  if (!request.whole.empty() && request.whole.size() != stages) {
    refuse("whole.size()", std::to_string(request.whole.size()), "must be the number of stages");
  }
  if (request.family != schedule_family::in_flight) return;
  if (request.split) refuse("split", "true", "must be false for numbers in flight: B is whole");
  for (std::size_t s = 0; s < stages; ++s) {
    if (request.rank_of[s] == s) continue;
    refuse("rank_of[" + std::to_string(s) + "]", std::to_string(request.rank_of[s]),
           "must have one stage a rank, in turn");
  }
}

STAGECUT_DECL void minimize_cut_and_schedule_fn::refuse(const std::string& argument, const std::string& value,
                                                     const char* requirement) {
  detail::fail(argument_error("minimize_cut_and_schedule", argument.c_str(), value, requirement));
}

}  // namespace stagecut::inline STAGECUT_ABI
