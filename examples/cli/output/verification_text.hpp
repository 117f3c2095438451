// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_verification.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "output/profile_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"

// The results of a plan's checks.

/// Figures of a check in their unit; those of a failed check in full, as they may differ in a late digit.
inline std::string check_figure(const stagecut::profile& model, const stagecut::plan_check& check, bool timed,
                                const std::optional<double>& value) {
  if (!value) return "-";
  if (check.result == stagecut::check_result::broken) return fmt::format("{:.12g}", *value);
  const std::string_view name = check.name;
  if (name == "memory" || name == "messages") return bytes_text(*value);
  const bool time = name == "loads" || name == "makespan" || (timed && (name == "objective" || name == "bound"));
  return time ? time_text(model, *value) : fmt::format("{:.6g}", *value);
}

/// One line per check, and one for all.
/// @param timed  whether the objective is a time
inline std::string verification_text(const stagecut::profile& model, const stagecut::plan_verification& all,
                                     bool timed) {
  table lines(0);
  lines.add({"check", "result", "plan", "profile"});
  for (const auto& check : all.checks) {
    lines.add({check.name, stagecut::to_string(check.result), check_figure(model, check, timed, check.claimed),
               check_figure(model, check, timed, check.recomputed)});
  }
  const auto reason = [&](std::size_t line) {
    if (line == 0) return std::string();
    const auto& each = all.checks[line - 1];
    if (each.place.empty() && each.why.empty()) return std::string();
    const bool both = !each.place.empty() && !each.why.empty();
    return "  " + each.place + (both ? ": " : "") + each.why;
  };
  std::size_t counts[3] = {};
  for (const auto& check : all.checks) ++counts[static_cast<std::size_t>(check.result)];
  return lines.text(reason) + fmt::format("{} of {} checks hold, {} do not, {} were not made\n", counts[0],
                                          all.checks.size(), counts[1], counts[2]);
}

/// The same as JSON.
inline std::string verification_json(const stagecut::plan_verification& all) {
  using json = nlohmann::ordered_json;
  json checks = json::array();
  for (const auto& check : all.checks) {
    json one = {{"check", check.name}, {"result", stagecut::to_string(check.result)}};
    if (!check.place.empty()) one["place"] = check.place;
    if (!check.why.empty()) one["why"] = check.why;
    if (check.claimed) one["plan"] = *check.claimed;
    if (check.recomputed) one["profile"] = *check.recomputed;
    checks.push_back(std::move(one));
  }
  const json whole = {{"holds", all.holds()}, {"checks", std::move(checks)}};
  return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}
