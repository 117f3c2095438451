// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline v0::detail {

/// Which durations of a slot program are made of the passes and messages of which stage: each is a sum of some of them.
class stage_durations {
 public:
  /// What a duration is a sum of.
  struct term {
    std::uint32_t stage;
    std::uint32_t kind;  // of `tick_kinds`; the message is that over the boundary behind the stage
  };

  /// Asks the task graph for its table with one time set to 1, for each of them.
  stage_durations(const chain_ticks& chain, const task_graph& graph, const slot_program& program)
      : terms_(program.durations().size()), of_stage_(chain.stages) {
    const std::vector<double> none(chain.stages);
    const std::vector<double> no_message(chain.stages > 1 ? chain.stages - 1 : 0);
    for (std::size_t kind = 0; kind < tick_kinds; ++kind) {
      if ((kind == tick_w && !chain.splits) || (kind == tick_message && !chain.has_messages)) continue;
      for (std::size_t s = 0; s + (kind == tick_message ? 1 : 0) < chain.stages; ++s) {
        pass_times<double> times;
        times.forward = none;
        (chain.splits ? times.backward_input : times.backward) = none;
        if (chain.splits) times.backward_weight = none;
        transfer_times<double> transfers;
        transfers.kind = graph.options().transfers;
        if (chain.has_messages) transfers.forward = transfers.backward = no_message;
        if (kind == tick_f) times.forward[s] = 1;
        if (kind == tick_b) (chain.splits ? times.backward_input : times.backward)[s] = 1;
        if (kind == tick_w) times.backward_weight[s] = 1;
        if (kind == tick_message) transfers.forward[s] = transfers.backward[s] = 1;
        graph.fill(times, transfers, table_);
        for (std::size_t d = 1; d < terms_.size(); ++d) {
          if (table_[program.durations()[d]] == 0) continue;
          terms_[d].push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(kind)});
          auto& here = of_stage_[s];
          if (here.empty() || here.back() != d) here.push_back(static_cast<std::uint32_t>(d));
        }
      }
    }
  }

  /// The durations that a stage is part of; some may be named twice.
  [[nodiscard]] view<const std::uint32_t> of_stage(std::size_t s) const noexcept { return of_stage_[s]; }
  /// What a duration is the sum of.
  [[nodiscard]] view<const term> terms(std::size_t duration) const noexcept { return terms_[duration]; }

 private:
  std::vector<std::vector<term>> terms_;
  std::vector<std::vector<std::uint32_t>> of_stage_;
  std::vector<double> table_{};
};

/// Cuts of one chain, one in each lane, that are simulated at once, and changed a few stages at a time.
class cut_lanes {
 public:
  static constexpr std::size_t width = lanes<double>::width;

  cut_lanes(const chain_ticks& chain, const slot_program& program, const stage_durations& durations)
      : chain_(chain), durations_(durations), lanes_(program) {}

  /// Sets what a cut takes for the stages `[first, last)` in a lane.
  void set(std::size_t lane, view<const std::size_t> points, std::size_t first, std::size_t last) {
    for (std::size_t s = first; s < last; ++s) {
      for (const std::uint32_t d : durations_.of_stage(s)) {
        double sum = 0;
        for (const auto& each : durations_.terms(d)) {
          const std::size_t end = points[each.stage + 1];
          sum += each.kind == tick_message ? chain_.message(each.stage, end)
                                           : chain_.pass(each.kind, each.stage, points[each.stage], end);
        }
        lanes_.time(d, lane) = sum;
      }
    }
  }

  /// The makespans, one for each lane.
  view<const double> makespans() noexcept { return lanes_.run(); }

 private:
  const chain_ticks& chain_;
  const stage_durations& durations_;
  lanes<double> lanes_;
};

}  // namespace stagecut::inline v0::detail
