// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_simulator.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void times_of(const stage_option& option, double* to) noexcept {
  to[hybrid_forward] = option.forward;
  to[hybrid_backward] = option.backward;
  to[hybrid_message] = option.message;
  to[hybrid_all_reduce] = option.all_reduce;
}

STAGECUT_DECL hybrid_simulator::hybrid_simulator(std::size_t stages, std::size_t microbatches)
    : stages_(stages),
      graph_(one_forward_one_backward(stages, microbatches),
             {.transfers = transfer_kind::link, .with_transfers = stages > 1, .all_reduce = true}) {
  times_.forward.resize(stages);
  times_.backward.resize(stages);
  times_.all_reduce.resize(stages);
  if (stages == 1) return;
  messages_.forward.resize(stages - 1);
  messages_.backward.resize(stages - 1);
}

STAGECUT_DECL double hybrid_simulator::operator()(const double* times) {
  for (std::size_t s = 0; s < stages_; ++s) {
    const double* const here = times + s * hybrid_kinds;
    times_.forward[s] = here[hybrid_forward];
    times_.backward[s] = here[hybrid_backward];
    times_.all_reduce[s] = here[hybrid_all_reduce];
    if (s != 0) messages_.forward[s - 1] = messages_.backward[s - 1] = here[hybrid_message];
  }
  return makespan_ = graph_.makespan(times_, messages_, workspace_);
}

STAGECUT_DECL void hybrid_simulator::count_critical(std::vector<double>& counts) const {
  counts.assign(stages_ * hybrid_kinds, 0);
  const view<const task> tasks = graph_.tasks();
  const std::vector<double>& ends = workspace_.ends;
  std::size_t position = 0;
  for (const std::uint32_t each : graph_.last_tasks()) {
    if (position == 0 && ends[each] == makespan_) position = each;
  }
  while (position != 0) {
    const task& each = tasks[position - 1];
    if (each.time != 0) count(graph_.what(position - 1), counts);
    position = ends[each.before] < ends[each.source] ? each.source : each.before;
  }
}

STAGECUT_DECL void hybrid_simulator::count(const op& does, std::vector<double>& counts) {
  const auto add = [&](std::size_t s, hybrid_kind kind) { counts[s * hybrid_kinds + kind] += 1; };
  switch (does.kind) {
    case op_kind::forward: return add(does.stage, hybrid_forward);
    case op_kind::backward: return add(does.stage, hybrid_backward);
    case op_kind::send_forward: return add(does.stage + 1, hybrid_message);
    case op_kind::send_backward: return add(does.stage, hybrid_message);
    case op_kind::reduce_gradient: return add(does.stage, hybrid_all_reduce);
    default: break;
  }
}

STAGECUT_DECL double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches) {
  std::vector<double> times(stages.size() * hybrid_kinds);
  for (std::size_t s = 0; s < stages.size(); ++s) times_of(stages[s].option, times.data() + s * hybrid_kinds);
  return hybrid_simulator(stages.size(), microbatches)(times.data());
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
