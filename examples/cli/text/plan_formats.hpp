// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/plan.hpp>

#include <fmt/format.h>

#include <string>

#include "text/plan_text.hpp"
#include "text/screen.hpp"

/// A plan in a format that the program or a writer knows.
inline std::string formatted(const stagecut::plan& plan, const std::string& format, const screen& on) {
  if (format == "text") return plan_text(plan, on);
  if (format == "json") return stagecut::io::as_json(plan) + "\n";
  return stagecut::io::find_format(format)->write(plan) + "\n";
}

/// Why there is no format of that name; empty: there is.
inline std::string check_format(const std::string& name) {
  if (name == "text" || name == "json" || stagecut::io::find_format(name) != nullptr) return "";
  return fmt::format("{} is no format (see stagecut formats)", name);
}
