// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/target.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "output/change_text.hpp"
#include "output/plan_text.hpp"
#include "output/profile_text.hpp"
#include "output/screen.hpp"

// A user's cut compared with the best.

/// `your cut 12.3 s, the best 11 s, 10.6 % less`.
/// @param broken  whether yours violates a rule
/// @param best    null: none was searched for, or found
inline std::string beside_best_text(const stagecut::plan& own, bool broken, const stagecut::plan* best) {
  if (best == nullptr || best->objective.name != own.objective.name) return "";
  const bool proved = best->objective.state == stagecut::state::optimal;
  const double mine = own.objective.value, least = best->objective.value;
  const bool root = own.objective.name == "variance";
  const auto cost = [&](double value) { return cost_text(own, root ? std::sqrt(value) : value); };
  const std::string name = fmt::format("the best{}{}", broken ? " that breaks none" : "", proved ? "" : " that was found");
  if (!broken && !(std::abs(mine - least) > 1e-9 * mine)) {
    return proved ? fmt::format("your cut {}: none is better\n", cost(mine))
                  : fmt::format("your cut {}: no better one was found\n", cost(mine));
  }
  const double share = 100 * (1 - (root ? std::sqrt(least / mine) : least / mine));
  return fmt::format("your cut {}{}, {} {}, {:.3g} % {}\n", cost(mine), broken ? ", which breaks a rule" : "", name,
                     cost(least), std::abs(share),
                     share < 0 ? "more" : "less");
}

/// The bottleneck of a plan, and the most helpful change.
/// @param target  the framework: only changes that it can express
inline std::string what_holds_text(const stagecut::plan& own, stagecut::framework target) try {
  if (!stagecut::explanation_obstacle(own).empty()) return "";
  stagecut::explain_options options;
  options.search = {};
  options.most_changes = 1;
  options.target = target;
  const stagecut::plan_explanation explanation = stagecut::explain_plan(own, options);
  if (!(explanation.makespan > 0)) return "";
  const auto percent = [&](double value) { return percent_text(value / explanation.makespan); };
  std::string text = fmt::format(
      "of its iteration a device computes {}, and is idle while the pipeline fills {}, for "
      "uneven stages {}",
      percent(explanation.parts.work), percent(explanation.parts.schedule), percent(explanation.parts.imbalance));
  if (explanation.parts.transfers > 0) text += fmt::format(", for messages {}", percent(explanation.parts.transfers));
  text += "\n";
  for (const stagecut::plan_change& change : explanation.changes) {
    text += fmt::format("{} would save {}\n", change_text(own, change), time_text(own.profile, change.saved));
  }
  return text;
} catch (const std::invalid_argument&) {
  return "";
}

/// The rules that it violates.
inline std::string broken_text(const stagecut::scored_cut& own) {
  std::string text;
  for (const std::string& rule : own.broken) text += fmt::format("it breaks a rule: {}\n", shown(rule, 400));
  return text;
}

/// A user's cut, scored, explained, and compared with the best.
/// @param option  the option that gave it
/// @param target  the framework that runs it
inline std::string own_cut_text(const stagecut::scored_cut& own, const stagecut::plan* best, const std::string& option,
                                stagecut::framework target, const screen& on) {
  return fmt::format("\nyour cut, {}:\n", option) + plan_text(own.made, on) + what_holds_text(own.made, target) +
         broken_text(own) + beside_best_text(own.made, !own.broken.empty(), best);
}
