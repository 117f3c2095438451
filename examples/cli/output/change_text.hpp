// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "output/screen.hpp"

/// Layers of a chain: `layers.3`, `layers.3 .. layers.17`.
/// @param most  characters of a name if there are two
inline std::string layers_text(const stagecut::profile& model, std::size_t first, std::size_t last, std::size_t most) {
  if (last - first == 1) return shown(model.layers[first].name, 2 * most);
  return shown(model.layers[first].name, most) + " .. " + shown(model.layers[last - 1].name, most);
}

/// A change of a plan in a few words: `layers.18 from stage 0 to 1`.
inline std::string change_text(const stagecut::plan& made, const stagecut::plan_change& change) {
  using enum stagecut::change_kind;
  switch (change.kind) {
    case boundary: {
      const std::size_t from = made.cuts[change.index];
      const std::size_t to = change.cuts[change.index];
      const bool left = to < from;
      return fmt::format("{} from stage {} to {}",
                         layers_text(made.profile, std::min(from, to), std::max(from, to), 12),
                         left ? change.index - 1 : change.index, left ? change.index : change.index - 1);
    }
    case cuts: {
      const std::string sizes = fmt::format("{}", fmt::join(change.cuts.sizes(), " "));
      return sizes.size() > 40 ? "cut anew by the makespan" : fmt::format("cut anew, layers: {}", sizes);
    }
    case schedule: return fmt::format("the schedule {}", change.schedule);
    case microbatches:
      return fmt::format("{} microbatches (saved of {})", change.microbatches, made.schedule.microbatches);
    case group: return fmt::format("groups of {} microbatch{}", change.index, change.index == 1 ? "" : "es");
    case bandwidth: return "messages at twice the bandwidth";
    default: return fmt::format("device {} 10 % faster", change.index);
  }
}
