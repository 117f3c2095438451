// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Simulates cuts of one chain under one schedule, and counts the durations on their critical paths.
class cut_simulator {
 public:
  cut_simulator(const chain_ticks& chain, const schedule& order, transfer_kind transfers)
      : chain_(chain), simulator_(order, transfers, chain.splits, chain.has_messages) {}

  /// The makespan, in ticks. Allocates nothing after the first call.
  double operator()(view<const std::size_t> points) {
    fill(
        points, [this](auto... of) { return chain_.pass(of...); },
        [this](std::size_t s, std::size_t y) { return chain_.message(s, y); });
    ++simulations;
    return simulator_.run();
  }

  /// The makespan with other times: `times[s * tick_kinds + kind]`.
  double of_times(const std::vector<double>& times) {
    ++simulations;
    return simulator_.run(times.data());
  }

  /// The makespan in the user's unit, for the times before rounding; infinite if not representable.
  [[nodiscard]] double unrounded(view<const std::size_t> points) {
    fill(
        points, [this](auto... of) { return chain_.time(of...); },
        [this](std::size_t s, std::size_t y) { return chain_.message_time(s, y); });
    const pass_times<double>& times = simulator_.times;
    for (const auto* all : {&times.forward, &times.backward, &times.backward_input, &times.backward_weight}) {
      for (const double each : *all) {
        if (!is_finite(each)) return each;
      }
    }
    return simulator_.run();
  }

  /// How often each kind of each stage is on a critical path of the last cut: `counts[s * tick_kinds + kind]`.
  void count_critical(std::vector<double>& counts) const { simulator_.count_critical(counts); }

  /// The simulated task graph.
  [[nodiscard]] const task_graph& graph() const noexcept { return simulator_.graph(); }

  std::size_t simulations = 0;  ///< so far

 private:
  template <class Pass, class Message>
  void fill(view<const std::size_t> points, const Pass& pass, const Message& message) {
    pass_times<double>& times = simulator_.times;
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      const std::size_t first = points[s];
      const std::size_t last = points[s + 1];
      times.forward[s] = pass(std::size_t{tick_f}, s, first, last);
      (chain_.splits ? times.backward_input : times.backward)[s] = pass(std::size_t{tick_b}, s, first, last);
      if (chain_.splits) times.backward_weight[s] = pass(std::size_t{tick_w}, s, first, last);
      if (!chain_.has_messages || s + 1 == chain_.stages) continue;
      simulator_.messages.forward[s] = message(s, last);
      simulator_.messages.backward[s] = simulator_.messages.forward[s];
    }
  }

  const chain_ticks& chain_;
  times_simulator simulator_;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
