// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A plan under construction: the layers of every stage, and the option of every rank.
struct chosen_options {
  std::vector<std::uint32_t> counts{};   // layers of every stage
  std::vector<std::uint32_t> options{};  // of every rank
};

/// The shared data of searches: the options, the schedule, and the times of messages.
struct recompute_problem {
  const schedule* order = nullptr;
  choice_curves* curves = nullptr;
  option_graph* graph = nullptr;
  engine::times_simulator* simulator = nullptr;
  std::vector<double> messages{};  ///< after every stage, in integer units, wherever the cut is

  /// Writes the durations of an option into `times[stage * tick_kinds + kind]`.
  void put(std::size_t rank, std::size_t option, std::vector<double>& times) const;

  /// The durations of a plan without passes: only the messages.
  [[nodiscard]] std::vector<double> no_passes() const;

  [[nodiscard]] std::vector<double> times_of(const std::vector<std::uint32_t>& options) const;

  /// Returns the end of an iteration.
  [[nodiscard]] double makespan(const std::vector<double>& times) const;

  /// Returns the layers of every stage, for options on a path of the graph.
  [[nodiscard]] std::vector<std::uint32_t> counts_of(const std::vector<std::uint32_t>& options) const;
};

inline void recompute_problem::put(std::size_t rank, std::size_t option, std::vector<double>& times) const {
  const rank_options& from = graph->ranks[rank];
  for (std::size_t j = 0; j < from.width(); ++j) {
    times[from.stage(j / from.kinds()) * engine::tick_kinds + j % from.kinds()] = from.times(j)[option];
  }
}

inline std::vector<double> recompute_problem::no_passes() const {
  std::vector<double> times(order->stages() * engine::tick_kinds);
  for (std::size_t s = 0; s < messages.size(); ++s) times[s * engine::tick_kinds + engine::tick_message] = messages[s];
  return times;
}

inline std::vector<double> recompute_problem::times_of(const std::vector<std::uint32_t>& options) const {
  std::vector<double> times = no_passes();
  for (std::size_t r = 0; r < options.size(); ++r) put(r, options[r], times);
  return times;
}

inline double recompute_problem::makespan(const std::vector<double>& times) const {
  return simulator->run(times.data());
}

inline std::vector<std::uint32_t> recompute_problem::counts_of(const std::vector<std::uint32_t>& options) const {
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
