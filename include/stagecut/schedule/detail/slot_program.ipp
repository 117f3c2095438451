// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/slot_program.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool slot_holders::enter(std::size_t position) {
  if (!free_.empty()) {
    slot_[position] = free_.back();
    free_.pop_back();
  } else if (slots_ == 0x10000) {
    return false;
  } else {
    slot_[position] = slots_++;
  }
  if (uses_[position] == 0) free_.push_back(slot_[position]);
  return true;
}

}  // namespace detail

STAGECUT_DECL slot_program::slot_program(const task_graph& graph) {
  const view<const timed_task> tasks = graph.tasks();
  const view<const std::uint32_t> delays = graph.delays();
  detail::slot_holders holders(graph);
  std::vector<std::uint32_t> places;
  ops_.reserve(tasks.size());
  delays_.reserve(delays.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const timed_task& each = tasks[i];
    slot_op op{holders.of(each.before), holders.of(each.source), place(each.time, places), 0};
    if (!delays.empty()) delays_.push_back(place(delays[i], places));
    holders.leave(each.before);
    holders.leave(each.source);
    if (!holders.enter(i + 1)) refuse("slots");
    op.to = holders.of(static_cast<std::uint32_t>(i + 1));
    ops_.push_back(op);
  }
  for (const std::uint32_t task : graph.last_tasks()) last_.push_back(holders.of(task));
  slots_ = holders.slots();
}

STAGECUT_DECL std::uint16_t slot_program::place(std::uint32_t position, std::vector<std::uint32_t>& places) {
  if (places.size() <= position) places.resize(std::size_t{position} + 1);
  if (position != 0 && places[position] == 0) {
    if (durations_.size() == 0x10000) refuse("durations");
    places[position] = static_cast<std::uint32_t>(durations_.size());
    durations_.push_back(position);
  }
  return static_cast<std::uint16_t>(places[position]);
}

STAGECUT_DECL void slot_program::refuse(const char* what) {
  detail::fail(invalid_input("schedule", detail::joined({"needs more than 65536 ", what})));
}

}  // namespace stagecut::inline STAGECUT_ABI
