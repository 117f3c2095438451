// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/recompute_problem.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void recompute_problem::put(std::size_t rank, std::size_t option, std::vector<double>& times) const {
  const rank_options& from = graph->ranks[rank];
  for (std::size_t j = 0; j < from.width(); ++j) {
    times[from.stage(j / from.kinds()) * engine::tick_kinds + j % from.kinds()] = from.times(j)[option];
  }
}

STAGECUT_DECL std::vector<double> recompute_problem::no_passes() const {
  std::vector<double> times(order->stages() * engine::tick_kinds);
  for (std::size_t s = 0; s < messages.size(); ++s) times[s * engine::tick_kinds + engine::tick_message] = messages[s];
  return times;
}

STAGECUT_DECL std::vector<double> recompute_problem::times_of(const std::vector<std::uint32_t>& options) const {
  std::vector<double> times = no_passes();
  for (std::size_t r = 0; r < options.size(); ++r) put(r, options[r], times);
  return times;
}

STAGECUT_DECL double recompute_problem::makespan(const std::vector<double>& times) const {
  return simulator->run(times.data());
}

STAGECUT_DECL std::vector<std::uint32_t> recompute_problem::counts_of(const std::vector<std::uint32_t>& options) const {
  std::vector<std::uint32_t> counts(order->stages());
  for (std::size_t r = 0; r < options.size(); ++r) {
    const rank_options& from = graph->ranks[r];
    const rank_options::contents& here = from.classes()[from.class_of(options[r])];
    for (std::size_t v = 0; v < from.stages(); ++v) {
      counts[from.stage(v)] = static_cast<std::uint32_t>((*curves)[here.of[v]].layers());
    }
  }
  return counts;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
