// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "options/strategy_pictures.hpp"
#include "output/plan_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"

// The recomputation of a plan, for a person.

/// The form of a layer of a plan: `none` if it recomputes nothing.
inline std::string recomputation_of(const stagecut::plan& plan, std::size_t i) {
  const std::string chosen = i < plan.choices.size() ? plan.choices[i].recomputation : std::string();
  if (!chosen.empty()) return shown(chosen);
  const std::string own = plan.profile.layers[i].recomputation;
  return own.empty() ? "none" : shown(own);
}

/// The number of each stage's layers in each form; empty if no layer has a choice.
inline std::string recompute_text(const stagecut::plan& plan, const screen& on) {
  std::map<std::string, std::vector<std::size_t>> counts;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (const std::size_t i : stagecut::layers_of(plan, s)) {
      if (plan.profile.layers[i].recomputations.empty()) continue;
      std::vector<std::size_t>& of = counts[recomputation_of(plan, i)];
      of.resize(plan.stages.size());
      ++of[s];
    }
  }
  if (counts.empty()) return "";
  table lines(0);
  std::vector<std::string> head = {"recomputed"};
  for (std::size_t s = 0; s < plan.stages.size(); ++s) head.push_back(std::to_string(s));
  lines.add(std::move(head));
  for (const auto& [name, of] : counts) {
    std::vector<std::string> cells = {name};
    for (const std::size_t each : of) cells.push_back(each == 0 ? "-" : std::to_string(each));
    lines.add(std::move(cells));
  }
  return lines.within(on.width, [](std::size_t) { return std::string(); });
}

/// What became of a number of stages per rank.
inline std::string state_text(const stagecut::compared_plan& row) {
  if (row.state != stagecut::state::unknown) return stagecut::to_string(row.state);
  for (const char* const why : {"stopped before", "no time was left", "more stages than layers"}) {
    if (row.why == why) return "not tried";
  }
  const bool refused = row.why.starts_with("stagecut::") || row.why.find(" cannot express ") != row.why.npos;
  return refused ? "refused" : stagecut::to_string(row.state);
}

/// The results for several numbers of stages per rank, with the reasons of those without a plan.
/// @param last  the last number that was given: what holds for the last row holds for all up to that
inline std::string stages_per_rank_text(const stagecut::profile& model, const std::vector<stagecut::compared_plan>& all,
                                        std::size_t last) {
  if (all.empty()) return "";
  table lines(0);
  lines.add({"stages/rank", "schedule", "makespan", "no plan below", ""});
  std::vector<std::string> reasons = {""};
  for (const stagecut::compared_plan& row : all) {
    const bool any = row.makespan > 0;
    const auto time = [&](double value) { return value > 0 ? time_text(model, value) : std::string("-"); };
    const stagecut::schedule_entry& entry = stagecut::entry_of(row.schedule);
    const char* const schedule = to_string(row.stages_per_rank > 1 ? entry.with_stages_per_rank : row.schedule);
    const std::size_t until = &row == &all.back() ? std::max(last, row.stages_per_rank) : row.stages_per_rank;
    const std::string numbers = std::to_string(row.stages_per_rank);
    lines.add({until == row.stages_per_rank ? numbers : fmt::format("{}..{}", numbers, until), any ? schedule : "-",
               any ? time(row.makespan) : "-", any ? time(row.bound) : "-", state_text(row)});
    reasons.push_back(any ? "" : "  " + in_options(row.why));
  }
  return lines.text([&](std::size_t line) { return reasons[line]; });
}

/// A plan next to other strategies: iteration times and their parts.
inline std::string strategies_text(const stagecut::plan& plan, const std::vector<asked_strategy>& all, const screen& on) {
  table lines(0);
  lines.add({"strategy", "makespan", "work", "recomputed", "filling", "imbalance", "messages", "fullest device"});
  std::vector<std::string> reasons = {""};
  for (const asked_strategy& asked : all) {
    const stagecut::compared_strategy& each = asked.row;
    const std::string& format = asked.inexpressible_in;
    const std::string mark = format.empty() ? "" : fmt::format("  {} cannot express it", format);
    reasons.push_back(each.none.empty() ? mark : "  " + each.none);
    if (!each.none.empty()) {
      lines.add({shown(each.name), "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const auto share = [&](double part) { return percent_text(each.makespan > 0 ? part / each.makespan : 0); };
    lines.add({shown(each.name), time_text(plan.profile, each.makespan), share(each.parts.work),
               share(each.recomputation), share(each.parts.schedule), share(each.parts.imbalance),
               share(each.parts.transfers), bytes_text(each.memory) + (each.fits ? "" : ", too much")});
  }
  return lines.within(on.width, [&](std::size_t line) { return reasons[line]; });
}
