// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/plan/plan_combinations.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "options/option_checks.hpp"
#include "output/table.hpp"

// The table of what `stagecut plan` plans together.

/// The row of a problem and a part; null if the part makes another problem.
inline const stagecut::plan_combination* combination_row(stagecut::plan_problem problem, stagecut::request_part part) {
  for (const stagecut::plan_combination& row : stagecut::plan_combinations()) {
    if (row.problem == problem && row.part == part) return &row;
  }
  return nullptr;
}

/// The parts of a problem that have a remark, as `PARTS: REMARK`, those alike in one.
inline std::vector<std::string> remarks_of(stagecut::plan_problem problem, bool refused) {
  constexpr std::size_t most_named = 10;
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;  // remark, parts
  for (const stagecut::plan_combination& row : stagecut::plan_combinations()) {
    if (row.problem != problem || *row.why == '\0') continue;
    if ((row.proof == stagecut::plan_proof::refused) != refused) continue;
    const std::string part = stagecut::request_parts()[static_cast<std::size_t>(row.part)].name;
    const auto alike = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == row.why; });
    if (alike != lines.end()) alike->second.push_back(part);
    if (alike == lines.end()) lines.push_back({row.why, {part}});
  }
  std::vector<std::string> result;
  for (const auto& [why, parts] : lines) {
    const bool few = parts.size() <= most_named;
    result.push_back(fmt::format("{}: {}", few ? fmt::format("{}", fmt::join(parts, ", ")) : "all others", why));
  }
  return result;
}

/// The remarks of all problems, each with the problems that have it.
inline std::string remarks_text(bool refused) {
  std::vector<std::pair<std::string, std::string>> lines;  // remark, problems
  for (const auto& problem : stagecut::plan_problem_names) {
    for (const std::string& remark : remarks_of(problem.value, refused)) {
      const auto alike = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == remark; });
      if (alike != lines.end()) alike->second += fmt::format(", {}", problem.name);
      if (alike == lines.end()) lines.emplace_back(remark, problem.name);
    }
  }
  std::string text;
  for (const auto& [remark, problems] : lines) text += fmt::format("  {} | {}\n", problems, remark);
  return text;
}

/// The option that makes a part; empty if there is none.
inline std::string option_of(const stagecut::request_part_entry& part) {
  for (const auto& [argument, option] : argument_options) {
    if (argument == part.field) return std::string(option);
  }
  return "";
}

/// Which parts of a request each problem takes, what the answer proves, and why the others are refused.
inline std::string combinations_text() {
  table lines(1);
  std::vector<std::string> cells = {""};
  for (const auto& problem : stagecut::plan_problem_names) cells.emplace_back(problem.name);
  lines.add(std::move(cells));
  for (const stagecut::request_part_entry& part : stagecut::request_parts()) {
    cells = {option_of(part).empty() ? part.name : fmt::format("{} ({})", part.name, option_of(part))};
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
