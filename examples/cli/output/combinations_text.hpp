// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/plan/plan_combinations.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "output/table.hpp"

// The table of what `stagecut plan` plans together.

/// The row of a problem and a part; null if the part makes another problem.
inline const stagecut::plan_combination* combination_row(stagecut::plan_problem problem, stagecut::request_part part) {
  for (const stagecut::plan_combination& row : stagecut::plan_combinations()) {
    if (row.problem == problem && row.part == part) return &row;
  }
  return nullptr;
}

/// The remarks of a proof, problem by problem, those alike in one line.
inline std::string remarks_text(bool refused) {
  std::string text;
  for (const auto& problem : stagecut::plan_problem_names) {
    std::vector<std::pair<std::string, std::string>> lines;  // remark, parts
    for (const stagecut::plan_combination& row : stagecut::plan_combinations()) {
      if (row.problem != problem.value || *row.why == '\0') continue;
      if ((row.proof == stagecut::plan_proof::refused) != refused) continue;
      const std::string part = stagecut::request_parts()[static_cast<std::size_t>(row.part)].name;
      const bool again = !lines.empty() && lines.back().first == row.why;
      if (again) lines.back().second += ", " + part;
      if (!again) lines.emplace_back(row.why, part);
    }
    for (const auto& [why, parts] : lines) text += fmt::format("  {}, {}: {}\n", problem.name, parts, why);
  }
  return text;
}

/// Which parts of a request each problem takes, what the answer proves, and why the others are refused.
inline std::string combinations_text() {
  table lines(1);
  std::vector<std::string> cells = {""};
  for (const auto& problem : stagecut::plan_problem_names) cells.emplace_back(problem.name);
  lines.add(std::move(cells));
  for (const stagecut::request_part_entry& part : stagecut::request_parts()) {
    cells = {part.name};
    for (const auto& problem : stagecut::plan_problem_names) {
      const stagecut::plan_combination* const row = combination_row(problem.value, part.part);
      cells.emplace_back(row == nullptr ? "-" : stagecut::name_of(stagecut::plan_proof_names, row->proof));
    }
    lines.add(std::move(cells));
  }
  return lines.text([](std::size_t) { return std::string(); }) +
         "exact: the optimum, unless a limit ends the search first; bound: a plan and a lower bound, optimal where they "
         "meet;\nno: refused; -: the part makes it another problem\n\nremarks:\n" +
         remarks_text(false) + "\nrefused:\n" + remarks_text(true);
}
