// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The most microbatches whose activations each stage holds at a time.
///
/// @param kind          one of which that is known without its order: `schedule_entry::most_in_flight`
/// @param stages        number of stages p, each on a device of its own
/// @param microbatches  of one iteration, m; 0: not known, as many as the schedule ever needs
/// @return              for every stage s: m under GPipe, min(p - s, m) under 1F1B, min(2(p - 1 - s) + 1, m) if eager
/// @throws              argument_error for any other kind, and for GPipe with no number of microbatches, whose need has
///                      no limit
[[nodiscard]] inline std::vector<std::size_t> microbatches_in_flight(schedule_kind kind, std::size_t stages,
                                                                     std::size_t microbatches) {
  const schedule_entry& entry = entry_of(kind);
  if (entry.most_in_flight == nullptr) {
    const auto is_known = [](const schedule_entry& each) { return each.most_in_flight != nullptr; };
    detail::fail(argument_error("microbatches_in_flight", "kind", entry.name,
                                detail::joined({"must be ", stagecut::list_names(schedules, " or ", is_known)})));
  }
  std::vector<std::size_t> result(stages, microbatches);
  for (std::size_t s = 0; s < stages; ++s) {
    const std::size_t most = entry.most_in_flight(stages, s);
    if (most == all_in_flight && microbatches == 0) {
      detail::fail(argument_error("microbatches_in_flight", "microbatches", "0",
                                  detail::joined({"must be known: ", entry.name, " keeps all of them in flight"})));
    }
    if (most != all_in_flight && (microbatches == 0 || most < microbatches)) result[s] = most;
  }
  return result;
}

/// The most microbatches whose activations each stage holds at a time, in an order that is given.
///
/// @param order  a schedule, of whole microbatches
/// @return       for every stage; passes that overlap count as forward first. I keeps what it needs for W
/// @throws       invalid_input as `check_schedule`
[[nodiscard]] inline std::vector<std::size_t> microbatches_in_flight(const schedule& order) {
  check_schedule(order);
  std::vector<std::size_t> held(order.stages());
  std::vector<std::size_t> most(order.stages());
  for (const auto& rank : order.orders) {
    for (const op& each : rank) {
      if (each.kind == op_kind::forward && ++held[each.stage] > most[each.stage]) most[each.stage] = held[each.stage];
      if (each.kind == op_kind::backward || each.kind == op_kind::backward_weight) --held[each.stage];
    }
  }
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI
