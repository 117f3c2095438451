// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

// The schedules that a target runs.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether a schedule of a target has that many stages per rank.
[[nodiscard]] constexpr bool takes_chunks(const target_schedule& row, std::size_t chunks) noexcept {
  return row.kind == schedule_kind::synthesized || (chunks == 1) == (row.stages_per_rank == 1);
}

/// The schedules that a target runs with that many stages per rank, in quotes: `"1f1b" and "gpipe"`.
[[nodiscard]] inline std::string known_schedules(const target_entry& entry, std::size_t chunks, std::size_t& count) {
  std::string text;
  std::string held;
  count = 0;
  for (const target_schedule& schedule : entry.schedules) {
    if (!takes_chunks(schedule, chunks)) continue;
    if (!held.empty()) text.append(text.empty() ? "" : ", ").append(held);
    held = in_quotes(schedule.name);
    ++count;
  }
  return text.append(text.empty() ? "" : " and ").append(held);
}

/// The name of a target's default schedule for that many stages per rank; empty: none.
[[nodiscard]] inline std::string usual_schedule(const target_entry& entry, std::size_t chunks) {
  for (const target_schedule& schedule : entry.schedules) {
    if (takes_chunks(schedule, chunks)) return schedule.name;
  }
  return "";
}

/// Why a target does not run a schedule of that name, or a custom order, with that many microbatches (0: not known);
/// empty: it does.
[[nodiscard]] inline std::string schedule_obstacle(const target_entry& entry, const std::string& name,
                                                   std::size_t devices, std::size_t chunks, std::size_t microbatches,
                                                   std::size_t group) {
  if (entry.schedules.empty()) return "";
  std::size_t count = 0;
  const std::string known = known_schedules(entry, chunks, count);
  if (count == 0) return joined({chunks, " stages on every device, and it knows only one"});
  const char* const among = chunks == 1 ? "" : " with several stages on a device";
  const target_schedule* const runs = find_schedule(entry, name);
  if (runs == nullptr || !takes_chunks(*runs, chunks)) {
    return joined({"its schedule is ", in_quotes(name), ", and ", count == 1 ? "the only one there" : "those there",
                   among, count == 1 ? " is " : " are ", known});
  }
  if (runs->obstacle == nullptr) return "";
  return runs->obstacle(devices, chunks, microbatches, group);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
