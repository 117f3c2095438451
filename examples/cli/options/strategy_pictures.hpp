// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/io/pictures/svg.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "output/output.hpp"

// Pictures of the strategies next to a plan.

/// A strategy with its source.
struct asked_strategy {
  stagecut::compared_strategy row;
  stagecut::plan_request request;
  std::string inexpressible_in{};  ///< the format of the given framework; empty: it can express it
};

/// A safe file name without a folder: letters, digits, dots and underscores stay, others become a dash.
[[nodiscard]] inline std::string file_name_of(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of("/\\") + 1, name.size()));
  std::string result;
  for (const char character : name) {
    const bool kept = (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
                      (character >= 'A' && character <= 'Z') || character == '_' ||
                      (character == '.' && !result.empty());
    if (kept) {
      result += character;
    } else if (character != '\'' && !result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? "strategy" : result;
}

/// An iteration of a strategy, with the memory of every rank.
[[nodiscard]] inline std::string strategy_svg(const stagecut::profile& model, const asked_strategy& of,
                                              const stagecut::recompute_options& options) {
  const stagecut::plan made = stagecut::plan_of_strategy(model, of.request, of.row.strategy, options);
  stagecut::schedule order = stagecut::schedule_of(made);
  auto messages = stagecut::transfers_of(made, order.slices);
  const simulated run = simulate(scenario_of(made, std::move(order), of.row.name, std::move(messages)));
  return stagecut::io::as_svg({&run.picture, 1});
}

/// Writes a picture of each feasible strategy into a folder, created if missing: NAME.svg; equal names after the first
/// get a number.
inline void draw_strategies(const std::string& folder, const stagecut::profile& model,
                            const std::vector<asked_strategy>& all, const stagecut::recompute_options& options) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder, error)) {
    throw CLI::ValidationError("--pictures", fmt::format("{} is no folder, and none can be made there", folder));
  }
  std::vector<std::string> names;
  for (const asked_strategy& each : all) {
    if (!each.row.none.empty()) continue;
    const std::string name = file_name_of(each.row.name);
    std::string own = name;
    for (std::size_t n = 2; std::find(names.begin(), names.end(), own) != names.end(); ++n)
      own = fmt::format("{}-{}", name, n);
    names.push_back(own);
    write(strategy_svg(model, each, options), (std::filesystem::path(folder) / (own + ".svg")).string());
  }
}
