// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <cstddef>
#include <utility>
#include <vector>

// Schedules and requests for which a test only gives the relevant figures.
namespace chains {

[[nodiscard]] inline stagecut::schedule order_of(stagecut::schedule_kind kind, std::size_t ranks,
                                                 std::size_t microbatches, std::size_t chunks = 1,
                                                 std::vector<std::size_t> in_flight = {}) {
  return stagecut::make_schedule(
      kind, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = microbatches, .in_flight = std::move(in_flight)});
}

/// Whose search takes the time that it takes.
///
/// @param latency  of every message; 0: there are none
[[nodiscard]] inline stagecut::makespan_request request_for(const stagecut::schedule& order, double latency = 0) {
  stagecut::makespan_request result;
  result.schedule = order;
  result.search.time_limit.reset();
  if (latency > 0) result.links = {{latency, 0}};
  return result;
}

/// The limits of a search that has no time.
inline const stagecut::search_options no_time = [] {
  stagecut::search_options result;
  result.time_limit = 0;
  return result;
}();

}  // namespace chains
