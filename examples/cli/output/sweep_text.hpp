// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "options/quantity.hpp"
#include "output/basis_text.hpp"
#include "output/profile_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"

/// Whether the schedule of a row exists for its numbers.
inline bool has_shape(const stagecut::sweep_row& row) {
  return stagecut::has_shape(row.schedule, row.devices, row.stages_per_rank, row.microbatches);
}

/// The name for --recompute of a checkpointing mode, as `plan` has it where nothing is recomputed.
inline const char* recomputation_name(stagecut::checkpointing mode) {
  return mode == stagecut::checkpointing::never ? "none" : stagecut::to_string(mode);
}

/// The configurations of a sweep to list: all with an existing schedule, those with a plan, those on the front.
enum class sweep_lines { all, planned, front };

/// One line per configuration.
inline table sweep_table(const stagecut::profile& model, const std::vector<stagecut::sweep_row>& rows, sweep_lines which) {
  table lines(0);
  lines.add({"schedule", "devices", "stages/rank", "m", "recompute", "makespan", "a microbatch", "memory", "gap", ""});
  for (const auto& row : rows) {
    const bool any = row.has_plan();
    if ((!any && (!has_shape(row) || which == sweep_lines::planned)) || (which == sweep_lines::front && !row.on_front)) continue;
    const auto time = [&](double value) { return any ? time_text(model, value) : std::string("-"); };
    const std::string gap = !any                                    ? "-"
                            : row.state == stagecut::state::optimal ? "0"
                            : row.bound > 0 ? fmt::format("{:.1f} %", 100 * (row.makespan / row.bound - 1))
                                            : "?";
    lines.add({stagecut::to_string(row.schedule), std::to_string(row.devices), std::to_string(row.stages_per_rank),
               std::to_string(row.microbatches), recomputation_name(row.checkpoint), time(row.makespan),
               time(row.per_microbatch), any ? bytes_text(row.memory) : "-", gap,
               row.on_front    ? "front"
               : any           ? ""
               : row.dominated ? "dominated"
                               : stagecut::to_string(row.state)});
  }
  return lines;
}

/// The number of configurations of each kind.
inline std::string configurations_text(const std::vector<stagecut::sweep_row>& rows) {
  std::size_t planned = 0, front = 0, dominated = 0, impossible = 0;
  for (const auto& row : rows) {
    planned += row.has_plan() ? 1 : 0, front += row.on_front ? 1 : 0, dominated += row.dominated ? 1 : 0;
    impossible += row.has_plan() || has_shape(row) ? 0 : 1;
  }
  std::string text = fmt::format("{} of {} configurations have a plan, {} of them on the front of time and memory\n", planned,
                      rows.size(), front);
  if (dominated > 0) text += fmt::format("{} were left out: another one is better in both\n", dominated);
  if (impossible > 0) {
    text += fmt::format("{} not supported by {} schedule\n",
                        impossible == 1 ? "1 configuration is" : fmt::format("{} configurations are", impossible),
                        impossible == 1 ? "its" : "their");
  }
  return text;
}

/// The distinct reasons why configurations with an existing schedule were not planned.
inline std::string unknown_text(const std::vector<stagecut::sweep_row>& rows) {
  std::string text;
  std::vector<std::string> reasons;
  for (const auto& row : rows) {
    if (row.state != stagecut::state::unknown || row.dominated || row.why.empty()) continue;
    if (std::find(reasons.begin(), reasons.end(), row.why) != reasons.end()) continue;
    reasons.push_back(row.why);
    text += fmt::format("unknown of {}: {}\n", stagecut::to_string(row.schedule), shown(row.why, 400));
  }
  return text;
}

/// The result of a sweep: those lines, the number of each kind, and what computed times rest on.
inline std::string sweep_text(const stagecut::profile& model, const std::vector<stagecut::sweep_row>& rows,
                              bool front_alone, const screen& on) {
  const table lines = sweep_table(model, rows, front_alone ? sweep_lines::front : sweep_lines::all);
  const std::string basis = basis_text(model);
  return lines.within(on.width, [](std::size_t) { return std::string(); }) + configurations_text(rows) +
         unknown_text(rows) + (basis.empty() ? "" : basis + "\n");
}
