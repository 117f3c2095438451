// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/compare_hybrids.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "text/plan_text.hpp"
#include "text/screen.hpp"
#include "text/table.hpp"

// What a plan on several devices a stage says beside its stages.

/// The devices that it takes, and how its layers are run: lines of text.
inline std::string devices_and_ways_text(const stagecut::plan& plan) {
  std::size_t devices = 0;
  for (const auto& stage : plan.stages) devices += stage.replicas * stage.shards;
  std::string text = fmt::format("{} device{}", devices, devices == 1 ? "" : "s");
  if (plan.own_microbatches && !plan.stages.empty() && plan.stages[0].replicas > 1) {
    text += fmt::format("; each of {} replicas runs {} microbatches of its own", plan.stages[0].replicas,
                        plan.schedule.microbatches);
  }
  std::map<std::string, std::size_t> again;
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const stagecut::layer& each = plan.profile.layers[i];
    const auto* const shared = stagecut::find_variant(each.shardings, plan.choices[i].sharding);
    const std::string& how = shared != nullptr ? shared->recomputation : plan.choices[i].recomputation;
    if (!how.empty()) ++again[how];
  }
  for (const auto& [how, layers] : again)
    text +=
        fmt::format("; {} layer{} recompute{}: {}", layers, layers == 1 ? "" : "s", layers == 1 ? "s" : "", shown(how));
  return text + "\n";
}

/// What planners choose, one a line.
inline std::string compared_hybrids_text(const std::vector<stagecut::compared_hybrid>& rows) {
  table lines(4);
  lines.add({"", "minimises", "chooses", "stages", "iteration", "a microbatch"});
  std::size_t best = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& made = rows[i].made;
    if (made && (!rows[best].made || *made->makespan < *rows[best].made->makespan)) best = i;
    if (!made) {
      lines.add({rows[i].name, rows[i].minimises, rows[i].chooses, to_string(made.state()), "", ""});
      continue;
    }
    std::string stages;
    for (const auto& stage : made->stages) {
      if (stages.size() > 24) {
        stages += " ..";
        break;
      }
      stages += fmt::format("{}{}×{}", stages.empty() ? "" : " ", stage.replicas, stage.shards);
    }
    const double replicas = made->own_microbatches ? static_cast<double>(made->stages[0].replicas) : 1;
    const double each = *made->makespan / (static_cast<double>(made->schedule.microbatches) * replicas);
    lines.add({rows[i].name, rows[i].minimises, rows[i].chooses, stages, time_text(made->profile, *made->makespan),
               time_text(made->profile, each)});
  }
  return lines.text([&](std::size_t line) {
    if (line == 0) return std::string();
    const bool open = rows[line - 1].made.state() == stagecut::state::feasible && line < rows.size();
    return fmt::format("{}{}", line == best + 1 ? " *" : "", open ? " not proved" : "");
  });
}
