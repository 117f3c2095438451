// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/duration_row.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The durations of a slot program as sums of passes and messages of stages.
class stage_durations {
 public:
  /// Queries the task graph's table with one time set to 1, for each time.
  stage_durations(const chain_ticks& chain, const task_graph& graph, const slot_program& program)
      : first_(program.durations().size() + 1), of_stage_(chain.stages) {
    std::vector<std::vector<duration_row::term>> terms(program.durations().size());
    for (std::size_t kind = 0; kind < tick_kinds; ++kind) {
      if ((kind == tick_w && !chain.splits) || (kind == tick_message && !chain.has_messages)) continue;
      for (std::size_t s = 0; s + (kind == tick_message ? 1 : 0) < chain.stages; ++s) {
        fill_table(chain, graph, s, kind);
        for (std::size_t d = 1; d < terms.size(); ++d) {
          if (table_[program.durations()[d]] == 0) continue;
          terms[d].push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(kind)});
          auto& here = of_stage_[s];
          if (here.empty() || here.back() != d) here.push_back(static_cast<std::uint32_t>(d));
        }
      }
    }
    for (std::size_t d = 0; d < terms.size(); ++d) {
      for (const auto& term : terms[d]) terms_.push_back(term);
      first_[d + 1] = static_cast<std::uint32_t>(terms_.size());
    }
  }

  /// The durations that a stage contributes to; some may occur twice.
  [[nodiscard]] view<const std::uint32_t> of_stage(std::size_t s) const noexcept { return of_stage_[s]; }
  /// The terms of a duration.
  [[nodiscard]] view<const duration_row::term> terms(std::size_t duration) const noexcept {
    return view<const duration_row::term>(terms_).slice(first_[duration], first_[duration + 1]);
  }
  /// The terms of all durations; refers to this object.
  [[nodiscard]] duration_row row() const noexcept { return {first_, terms_}; }

 private:
  /// Computes durations where one time is 1 and all others are 0.
  void fill_table(const chain_ticks& chain, const task_graph& graph, std::size_t s, std::size_t kind) {
    const std::vector<double> none(chain.stages);
    pass_times<double> times;
    times.forward = none;
    (chain.splits ? times.backward_input : times.backward) = none;
    if (chain.splits) times.backward_weight = none;
    transfer_times<double> transfers;
    transfers.kind = graph.options().transfers;
    if (chain.has_messages) transfers.forward.resize(chain.stages - 1);
    if (kind == tick_f) times.forward[s] = 1;
    if (kind == tick_b) (chain.splits ? times.backward_input : times.backward)[s] = 1;
    if (kind == tick_w) times.backward_weight[s] = 1;
    if (kind == tick_message) transfers.forward[s] = 1;
    transfers.backward = transfers.forward;
    graph.fill(times, transfers, table_);
  }

  std::vector<std::uint32_t> first_;  // for every duration, its first term
  std::vector<duration_row::term> terms_{};
  std::vector<std::vector<std::uint32_t>> of_stage_;
  std::vector<double> table_{};
};

/// Cuts of one chain, one in each lane, that are simulated together, and changed a few stages at a time.
class cut_lanes {
 public:
  static constexpr std::size_t width = lanes<double>::width;

  cut_lanes(const chain_ticks& chain, const slot_program& program, const stage_durations& durations)
      : chain_(chain), durations_(durations), lanes_(program) {}

  /// Sets the times of the stages `[first, last)` of a cut in a lane; `points` may be any container.
  template <class Points>
  void set(std::size_t lane, const Points& points, std::size_t first, std::size_t last) {
    const tick_rows rows = chain_.rows();
    const duration_row row = durations_.row();
    for (std::size_t s = first; s < last; ++s) {
      for (const std::uint32_t d : durations_.of_stage(s)) lanes_.time(d, lane) = row.of(d, rows, points);
    }
  }

  /// The makespans, one for each lane.
  view<const double> makespans() noexcept { return lanes_.run(); }

 private:
  const chain_ticks& chain_;
  const stage_durations& durations_;
  lanes<double> lanes_;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
