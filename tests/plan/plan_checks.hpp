// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/profile.hpp>

#include <cstddef>
#include <string>

#include "known_profile.hpp"

/// Plans, and what their checks say.
namespace plan_checks {

/// What is broken, and where.
inline std::string broken(const stagecut::plan_verification& all) {
  std::string text;
  for (const auto& check : all.checks) {
    if (check.result == stagecut::check_result::broken)
      text += check.name + ": " + check.place + ": " + check.why + "\n";
  }
  return text;
}

/// Whether that check is broken.
inline bool breaks(const stagecut::profile& model, const stagecut::plan& made, const char* name) {
  const auto all = stagecut::verify_plan(model, made);
  return all.find(name)->result == stagecut::check_result::broken && !all.holds();
}

/// A little more than it was.
inline void more(double& figure) { figure = figure * 1.00001 + 1e-5; }

/// Stages of the known chain, by hand: of layers 0 to 2, 3 and 4, and the others.
inline stagecut::plan plan_by_hand() {
  stagecut::plan made;
  made.profile = known_profile::known;
  made.cuts = {0, 3, 5, 8};
  made.devices = 3;
  made.stages.resize(3);
  for (std::size_t s = 0; s < 3; ++s) {
    made.stages[s].device = s;
    for (std::size_t i = made.cuts[s]; i < made.cuts[s + 1]; ++i) {
      made.stages[s].forward += made.profile.layers[i].forward;
      made.stages[s].backward += made.profile.layers[i].backward;
    }
    made.stages[s].cost = made.stages[s].forward + made.stages[s].backward;
  }
  made.objective = {"bottleneck", "time", 63, 0, stagecut::state::feasible};
  return made;
}

/// What a check says: the result, the place and the reason.
inline std::string said(const stagecut::profile& model, const stagecut::plan& made, const char* name) {
  const auto all = stagecut::verify_plan(model, made);
  const auto& check = *all.find(name);
  return std::string(to_string(check.result)) + ": " + check.place + ": " + check.why;
}

}  // namespace plan_checks
