// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/compare_hybrids.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "output/computed_text.hpp"
#include "output/plan_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"

// Additional text for plans with several devices per stage.

/// The choices of planners, one per line, with the time of a sample if the profile gives the samples of a microbatch.
inline std::string compared_hybrids_text(const std::vector<stagecut::compared_hybrid>& rows,
                                         const stagecut::profile& model, const screen& on) {
  const auto samples = computed_figure<std::size_t>(computed_figures(model), "microbatch", 0);
  table lines(4);
  lines.add({"", "minimises", "chooses", "stages", "iteration", samples == 0 ? "a microbatch" : "a sample"});
  std::size_t best = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& made = rows[i].made;
    if (made && (!rows[best].made || *made->makespan <= *rows[best].made->makespan)) best = i;
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
      stages += fmt::format("{}{}×{}", stages.empty() ? "" : " ", stage.replicas, stage.tensor_parallel);
    }
    const double replicas = made->own_microbatches ? static_cast<double>(made->stages[0].replicas) : 1;
    const double all = static_cast<double>(made->schedule.microbatches * (samples == 0 ? 1 : samples)) * replicas;
    lines.add({rows[i].name, rows[i].minimises, rows[i].chooses, stages, time_text(made->profile, *made->makespan),
               time_text(made->profile, *made->makespan / all)});
  }
  return lines.within(on.width, [&](std::size_t line) {
    if (line == 0) return std::string();
    const bool open = rows[line - 1].made.state() == stagecut::state::feasible && line < rows.size();
    return fmt::format("{}{}", line == best + 1 ? " *" : "", open ? " not proved" : "");
  });
}
