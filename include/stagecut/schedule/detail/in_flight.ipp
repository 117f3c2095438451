// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/in_flight.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<std::size_t> microbatches_in_flight(schedule_kind kind, std::size_t stages,
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

STAGECUT_DECL std::vector<std::size_t> microbatches_in_flight(const schedule& order) {
  check_schedule(order);
  std::vector<std::size_t> held(order.stages());
  std::vector<std::size_t> most(order.stages());
  for (const auto& rank : order.orders) {
    for (const auto& op : rank) {
      if (op.kind == op_kind::forward && ++held[op.stage] > most[op.stage]) most[op.stage] = held[op.stage];
      if (op.kind == op_kind::backward || op.kind == op_kind::backward_weight) --held[op.stage];
    }
  }
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI
