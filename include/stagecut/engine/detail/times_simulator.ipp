// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/times_simulator.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL times_simulator::times_simulator(const schedule& order, transfer_kind transfers, bool splits,
                                               bool has_messages, const time_layout& layout)
    : graph_(order, {.transfers = transfers,
                     .with_transfers = has_messages,
                     .all_reduce = layout.all_reduce != time_layout::nowhere}),
      layout_(layout),
      stages_(order.stages()),
      splits_(splits),
      has_messages_(has_messages) {
  times.forward.resize(stages_);
  (splits ? times.backward_input : times.backward).resize(stages_);
  if (splits) times.backward_weight.resize(stages_);
  if (layout.all_reduce != time_layout::nowhere) times.all_reduce.resize(stages_);
  messages.kind = transfers;
  if (!has_messages) return;
  messages.forward.resize(stages_ - 1);
  messages.backward.resize(stages_ - 1);
}

STAGECUT_DECL double times_simulator::run(const double* all) {
  for (std::size_t s = 0; s < stages_; ++s) {
    const double* const here = all + s * layout_.kinds;
    times.forward[s] = here[layout_.forward];
    (splits_ ? times.backward_input : times.backward)[s] = here[layout_.backward];
    if (splits_) times.backward_weight[s] = here[layout_.weight];
    if (layout_.all_reduce != time_layout::nowhere) times.all_reduce[s] = here[layout_.all_reduce];
    if (!has_messages_ || s + 1 == stages_) continue;
    messages.forward[s] = messages.backward[s] = here[(layout_.before ? layout_.kinds : 0) + layout_.message];
  }
  return run();
}

STAGECUT_DECL void times_simulator::count_critical(std::vector<double>& counts) const {
  counts.assign(stages_ * layout_.kinds, 0);
  const view<const timed_task> tasks = graph_.tasks();
  const view<const std::uint32_t> delays = graph_.delays();
  const std::vector<double>& ends = workspace_.ends;
  std::size_t position = 0;
  for (const std::uint32_t task : graph_.last_tasks()) {
    if (position == 0 && ends[task] == makespan_) position = task;
  }
  while (position != 0) {
    const timed_task& each = tasks[position - 1];
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

STAGECUT_DECL void times_simulator::count(std::size_t index, std::vector<double>& counts) const {
  const op& does = graph_.what(index);
  const auto add = [&](std::size_t s, std::size_t place) { counts[s * layout_.kinds + place] += 1; };
  const auto add_backward = [&](std::size_t s) {
    add(s, layout_.backward);
    if (splits_) add(s, layout_.weight);
  };
  switch (does.kind) {
    case op_kind::forward: add(does.stage, layout_.forward); break;
    case op_kind::backward_input: add(does.stage, layout_.backward); break;
    case op_kind::backward_weight: add(does.stage, layout_.weight); break;
    case op_kind::backward: add_backward(does.stage); break;
    case op_kind::send_forward: add(does.stage + (layout_.before ? 1 : 0), layout_.message); break;
    case op_kind::send_backward: add(does.stage - (layout_.before ? 0 : 1), layout_.message); break;
    case op_kind::reduce_gradient: add(does.stage, layout_.all_reduce); break;
    default: break;
  }
  // The first of two overlapping ops takes no time by itself: its time is the pair's.
  if (index == 0 || !is_compute(does.kind)) return;
  const op& first = graph_.what(index - 1);
  if (!first.with_next || graph_.tasks()[index].before != index || graph_.tasks()[index - 1].time != 0) return;
  if (first.kind == op_kind::forward) return add(first.stage, layout_.forward);
  add_backward(first.stage);
}

STAGECUT_DECL void times_simulator::count_message(const op& receiver, std::vector<double>& counts) const {
  const bool down = receiver.kind == op_kind::forward;
  const std::size_t behind = down ? receiver.stage - 1 : receiver.stage;
  counts[(behind + (layout_.before ? 1 : 0)) * layout_.kinds + layout_.message] += 1;
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
