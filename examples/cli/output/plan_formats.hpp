// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/option_checks.hpp"
#include "output/computed_text.hpp"
#include "output/plan_text.hpp"
#include "output/predicted_rates.hpp"
#include "output/report_parts.hpp"
#include "output/screen.hpp"

/// The program's own formats with descriptions; for `json` see its documentation page.
struct own_format {
  const char* name;
  const char* describes;
};
inline constexpr own_format own_formats[] = {{"text", "a table for a person"},
                                             {"json", "the whole plan, of"},
                                             {"html", "a page: timeline, memory, cuts, prices, frameworks"}};

/// A plan with its predicted rates in its JSON, as `predicted`.
inline stagecut::plan with_rates(stagecut::plan made) {
  set_member(made, "predicted", rates_json(made));
  return made;
}

/// A plan in a format of the program or of a framework writer.
inline std::string formatted(const stagecut::plan& plan, const std::string& format, const screen& on) {
  if (format == "text") return plan_text(plan, on);
  if (format == "json") return stagecut::io::as_json(with_rates(plan)) + "\n";
  if (format == "html") return page_text(plan_report(plan).report());
  return stagecut::io::find_format(format)->write(plan) + "\n";
}

/// A check for format names.
inline CLI::Validator format_check() {
  std::vector<std::string> names = names_of(own_formats);
  for (const auto& format : stagecut::io::formats) names.emplace_back(format.name);
  const auto check = [names](const std::string& name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    return known ? std::string()
                 : fmt::format("{} is no format{} (see stagecut formats)", name, did_you_mean(name, names));
  };
  return named_check(CLI::Validator(check, ""), names);
}
