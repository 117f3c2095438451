// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/compare_recomputation.hpp>
#include <stagecut/plan/plan.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "text/plan_text.hpp"
#include "text/table.hpp"
#include "words/recompute_words.hpp"

// What is recomputed in a plan, for a person.

/// How a layer of a plan is run: `none` where it recomputes nothing.
inline std::string recomputation_of(const stagecut::plan& plan, std::size_t i) {
  const std::string chosen = i < plan.choices.size() ? plan.choices[i].recomputation : std::string();
  if (!chosen.empty()) return shown(chosen);
  const std::string own = plan.profile.layers[i].recomputation;
  return own.empty() ? "none" : shown(own);
}

/// How many layers of each stage are run how, and what several numbers of chunks came to.
inline std::string recompute_text(const stagecut::plan& plan, const std::vector<recompute_words::tried>& all) {
  std::map<std::string, std::vector<std::size_t>> counts;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (const std::size_t i : stagecut::layers_of(plan, s)) {
      if (plan.profile.layers[i].recomputations.empty()) continue;
      std::vector<std::size_t>& of = counts[recomputation_of(plan, i)];
      of.resize(plan.stages.size());
      ++of[s];
    }
  }
  table lines(0);
  std::vector<std::string> head = {"recomputed"};
  for (std::size_t s = 0; s < plan.stages.size(); ++s) head.push_back(std::to_string(s));
  lines.add(std::move(head));
  for (const auto& [name, of] : counts) {
    std::vector<std::string> cells = {name};
    for (const std::size_t each : of) cells.push_back(each == 0 ? "-" : std::to_string(each));
    lines.add(std::move(cells));
  }
  std::string text = lines.text([](std::size_t) { return std::string(); });
  if (all.empty()) return text;
  table tried(0);
  tried.add({"chunks", "schedule", "makespan", "no plan below", ""});
  for (const auto& each : all) {
    const bool any = each.made.has_value();
    tried.add({std::to_string(each.chunks), any ? schedule_name(each.made->schedule.name) : "-",
               any ? time_text(plan.profile, each.made->objective.value) : "-",
               any ? time_text(plan.profile, each.made->objective.bound) : "-",
               any ? stagecut::to_string(each.made.state()) : each.made.why().text()});
  }
  return text + tried.text([](std::size_t) { return std::string(); });
}

/// A plan beside other strategies: what an iteration takes, and what of it goes where.
inline std::string strategies_text(const stagecut::plan& plan, const std::vector<stagecut::compared_strategy>& all) {
  table lines(0);
  lines.add({"strategy", "makespan", "work", "recomputed", "filling", "imbalance", "messages", "fullest device"});
  for (const stagecut::compared_strategy& each : all) {
    if (!each.none.empty()) {
      lines.add({each.name, "-", "-", "-", "-", "-", "-", each.none});
      continue;
    }
    const auto share = [&](double part) { return fmt::format("{:.1f} %", 100 * part / each.makespan); };
    lines.add({shown(each.name), time_text(plan.profile, each.makespan), share(each.parts.work),
               share(each.recomputation), share(each.parts.schedule), share(each.parts.imbalance),
               share(each.parts.transfers), bytes_text(each.memory) + (each.fits ? "" : ", too much")});
  }
  return lines.text([](std::size_t) { return std::string(); });
}
