// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A plan in the making: the layers of every stage, and the option of every rank.
struct chosen_options {
  std::vector<std::uint32_t> counts{};   // layers of every stage
  std::vector<std::uint32_t> options{};  // of every rank
};

/// All that searches share: the options, the order, and what messages take.
struct recompute_problem {
  const schedule* order = nullptr;
  choice_curves* curves = nullptr;
  option_graph* graph = nullptr;
  engine::times_simulator* simulator = nullptr;
  std::vector<double> messages{};  ///< behind every stage, in whole units, wherever the cut is

  /// Writes the durations of an option into `times[stage * tick_kinds + kind]`.
  void put(std::size_t rank, std::size_t option, std::vector<double>& times) const;

  /// Durations of a plan: zero passes, and the messages.
  [[nodiscard]] std::vector<double> no_passes() const;

  [[nodiscard]] std::vector<double> times_of(const std::vector<std::uint32_t>& options) const;

  /// When an iteration ends.
  [[nodiscard]] double makespan(const std::vector<double>& times) const;

  /// The layers of every stage, of options on a path of the graph.
  [[nodiscard]] std::vector<std::uint32_t> counts_of(const std::vector<std::uint32_t>& options) const;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recompute_problem.ipp>
#endif
