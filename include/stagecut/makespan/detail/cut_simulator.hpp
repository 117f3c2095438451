// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline v0::detail {

/// Simulates cuts of one chain under one schedule, and counts what is on their critical paths.
///
/// Passes and messages wait for each other in the same way whatever the cut: each path is a sum over the stages, and a
/// bound for every cut.
class cut_simulator {
 public:
  cut_simulator(const chain_ticks& chain, const schedule& order, transfer_kind transfers)
      : chain_(chain), graph_(order, {.transfers = transfers, .with_transfers = chain.has_messages}) {
    times_.forward.resize(chain.stages);
    (chain.splits ? times_.backward_input : times_.backward).resize(chain.stages);
    if (chain.splits) times_.backward_weight.resize(chain.stages);
    transfers_.kind = transfers;
    if (!chain.has_messages) return;
    transfers_.forward.resize(chain.stages - 1);
    transfers_.backward.resize(chain.stages - 1);
  }

  /// The makespan, in ticks. Allocates nothing after the first call.
  double operator()(view<const std::size_t> points) {
    fill(
        points, [this](auto... of) { return chain_.pass(of...); },
        [this](std::size_t s, std::size_t y) { return chain_.message(s, y); });
    ++simulations;
    makespan_ = graph_.makespan(times_, transfers_, workspace_);
    return makespan_;
  }

  /// The makespan for other times: `times[s * tick_kinds + kind]`.
  double of_times(const std::vector<double>& times) {
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      const double* const here = times.data() + s * tick_kinds;
      times_.forward[s] = here[tick_f];
      (chain_.splits ? times_.backward_input : times_.backward)[s] = here[tick_b];
      if (chain_.splits) times_.backward_weight[s] = here[tick_w];
      if (!chain_.has_messages || s + 1 == chain_.stages) continue;
      transfers_.forward[s] = transfers_.backward[s] = here[tick_message];
    }
    ++simulations;
    makespan_ = graph_.makespan(times_, transfers_, workspace_);
    return makespan_;
  }

  /// The makespan in the user's unit, of the times as they were before they were rounded; infinite if it is not
  /// representable.
  [[nodiscard]] double unrounded(view<const std::size_t> points) {
    fill(
        points, [this](auto... of) { return chain_.time(of...); },
        [this](std::size_t s, std::size_t y) { return chain_.message_time(s, y); });
    for (const auto* all : {&times_.forward, &times_.backward, &times_.backward_input, &times_.backward_weight}) {
      for (const double each : *all) {
        if (!is_finite(each)) return each;
      }
    }
    return graph_.makespan(times_, transfers_, workspace_);
  }

  /// How often each kind of each stage is on a critical path of the last cut: `counts[s * tick_kinds + kind]`.
  void count_critical(std::vector<double>& counts) const {
    counts.assign(chain_.stages * tick_kinds, 0);
    const view<const task> tasks = graph_.tasks();
    const view<const std::uint32_t> delays = graph_.delays();
    const std::vector<double>& ends = workspace_.ends;
    std::size_t position = 0;
    for (const std::uint32_t each : graph_.last_tasks()) {
      if (position == 0 && ends[each] == makespan_) position = each;
    }
    while (position != 0) {
      const task& each = tasks[position - 1];
      const double delay = delays.empty() ? 0 : workspace_.table[delays[position - 1]];
      if (each.time != 0) count(position - 1, counts);
      if (!(ends[each.before] < ends[each.source] + delay)) {
        position = each.before;
        continue;
      }
      if (!delays.empty() && delays[position - 1] != 0) count_message(graph_.what(position - 1), counts);
      position = each.source;
    }
  }

  /// What is simulated.
  [[nodiscard]] const task_graph& graph() const noexcept { return graph_; }

  std::size_t simulations = 0;  ///< so far

 private:
  template <class Pass, class Message>
  void fill(view<const std::size_t> points, const Pass& pass, const Message& message) {
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      const std::size_t first = points[s];
      const std::size_t last = points[s + 1];
      times_.forward[s] = pass(std::size_t{tick_f}, s, first, last);
      (chain_.splits ? times_.backward_input : times_.backward)[s] = pass(std::size_t{tick_b}, s, first, last);
      if (chain_.splits) times_.backward_weight[s] = pass(std::size_t{tick_w}, s, first, last);
      if (!chain_.has_messages || s + 1 == chain_.stages) continue;
      transfers_.forward[s] = message(s, last);
      transfers_.backward[s] = transfers_.forward[s];
    }
  }

  void count(std::size_t index, std::vector<double>& counts) const {
    const op& does = graph_.what(index);
    const auto add = [&](std::size_t s, std::size_t kind) { counts[s * tick_kinds + kind] += 1; };
    switch (does.kind) {
      case op_kind::forward: add(does.stage, tick_f); break;
      case op_kind::backward_input: add(does.stage, tick_b); break;
      case op_kind::backward_weight: add(does.stage, tick_w); break;
      case op_kind::backward:
        add(does.stage, tick_b);
        if (chain_.splits) add(does.stage, tick_w);
        break;
      case op_kind::send_forward: add(does.stage, tick_message); break;
      case op_kind::send_backward: add(does.stage - 1, tick_message); break;
      default: break;
    }
    // The first of two that overlap takes no time by itself: its time is that of the pair.
    if (index == 0 || !is_compute(does.kind)) return;
    const op& first = graph_.what(index - 1);
    if (!first.with_next || graph_.tasks()[index].before != index || graph_.tasks()[index - 1].time != 0) return;
    if (first.kind == op_kind::forward) return add(first.stage, tick_f);
    add(first.stage, tick_b);
    if (chain_.splits) add(first.stage, tick_w);
  }

  /// The message that a pass awaits, where messages are no tasks.
  static void count_message(const op& receiver, std::vector<double>& counts) {
    const bool down = receiver.kind == op_kind::forward;
    counts[(down ? receiver.stage - 1 : receiver.stage) * tick_kinds + tick_message] += 1;
  }

  const chain_ticks& chain_;
  task_graph graph_;
  pass_times<double> times_{};
  transfer_times<double> transfers_{};
  simulation_workspace<double> workspace_{};
  double makespan_ = 0;
};

}  // namespace stagecut::inline v0::detail
