// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/plan_edges.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

// Consistency of the parts of a plan: the first problem is reported with a JSON pointer.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Checks cuts, or an assignment, of all layers to nonempty stages.
[[nodiscard]] inline plan_fault cuts_fault(const plan& made) {
  const std::size_t layers = made.profile.layers.size();
  for (std::size_t i = 0; i < layers; ++i) {
    const auto& children = made.profile.layers[i].children;
    if (children.empty()) continue;
    return {element_at("/profile/layers", i, "/children"), joined({number_text(children.size()), " layers"}),
            "make a module tree, and a plan is of leaves"};
  }
  if (!made.assignment.empty()) {
    const std::size_t stages = made.stages.size();
    if (made.cuts.stages() != 0) return {"/assignment", "{…}", "is given with cuts, which mean the same"};
    if (made.assignment.size() != layers) {
      return {"/assignment", joined({number_text(made.assignment.size()), " stages"}),
              joined({"are not the number of layers, ", number_text(layers)})};
    }
    std::vector<char> any(stages);
    for (std::size_t i = 0; i < layers; ++i) {
      const std::size_t s = made.assignment[i];
      if (s >= stages) return not_below(element_at("/assignment", i), s, "stages", stages);
      any[s] = 1;
    }
    for (std::size_t s = 0; s < stages; ++s) {
      if (any[s] == 0) return {element_at("/stages", s), joined({"stage ", number_text(s)}), "has no layer"};
    }
    if (!stagecut::detail::are_intervals(made.assignment)) return {};
    return {"/assignment", "{…}", "has intervals in the order of the model only, which cuts express"};
  }
  const std::size_t stages = made.cuts.stages();
  if (stages == 0) return {"/cuts", "{}", "makes no stage"};
  if (made.cuts.items() != layers) {
    return {element_at("/cuts", stages), number_text(made.cuts.items()),
            joined({"is not the number of layers, ", number_text(layers)})};
  }
  for (std::size_t s = 0; s < stages && made.stages_per_rank < 2;
       ++s) {  // a device that has several stages may do without one
    if (!made.cuts.stage(s).empty()) continue;
    return {element_at("/cuts", s + 1), number_text(made.cuts[s + 1]), "is not above the point before it"};
  }
  if (made.stages.size() == stages) return {};
  return {"/stages", joined({number_text(made.stages.size()), " stages"}),
          joined({"do not agree with the cuts, which make ", number_text(stages)})};
}

/// Checks the devices of every stage.
[[nodiscard]] inline plan_fault devices_fault(const plan& made) {
  const std::size_t stages = made.stages.size();
  if (!stagecut::detail::are_counts_right(made)) {
    return {"/devices", number_text(made.devices),
            joined({"times ", number_text(made.stages_per_rank), " stages per rank is not the number of stages, ",
                    number_text(stages)})};
  }
  constexpr std::size_t most = std::size_t{1} << 20U;
  std::vector<std::size_t> of_rank(made.devices);
  for (std::size_t s = 0; s < stages; ++s) {
    const planned_stage& stage = made.stages[s];
    const std::string pointer = element_at("/stages", s);
    if (stage.device >= made.devices) {
      return not_below(joined({pointer, "/device"}), stage.device, "devices", made.devices);
    }
    for (const auto& [name, count] :
         {std::pair("/replicas", stage.replicas), std::pair("/tensor_parallel", stage.tensor_parallel)}) {
      if (count == 0) return {joined({pointer, name}), "0", "is below 1"};
      if (count > most) return {joined({pointer, name}), number_text(count), joined({"is above ", number_text(most)})};
    }
    std::size_t& count = of_rank[stage.device];
    if (count == 0) count = stage.replicas * stage.tensor_parallel;
    if (count == stage.replicas * stage.tensor_parallel) continue;
    return {joined({pointer, "/tensor_parallel"}), number_text(stage.tensor_parallel),
            joined({"times ", number_text(stage.replicas), " replicas is not the number of devices of rank ",
                    number_text(stage.device), ", ", number_text(count)})};
  }
  const std::size_t speeds = made.speeds.size();
  if (speeds != 0 && speeds != made.devices) {
    return {"/speeds", joined({number_text(speeds), " speeds"}),
            joined({"are not the number of devices, ", number_text(made.devices)})};
  }
  for (std::size_t d = 0; d < speeds; ++d) {
    if (!(made.speeds[d] > 0)) return {element_at("/speeds", d), "a speed", "is not above 0"};
  }
  return {};
}

/// Checks whether the last microbatch is kept.
[[nodiscard]] inline plan_fault kept_fault(const plan& made) {
  const std::string& checkpoint = made.memory.checkpoint;
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const bool kept = made.stages[s].backward_kept.has_value();
    const bool wanted = checkpoint.empty() ? made.stages[0].backward_kept.has_value()
                                           : checkpoint == to_string(checkpointing::except_last);
    if (kept == wanted) continue;
    return {element_at("/stages", s, "/backward_kept"), kept ? "a time" : "no time",
            checkpoint.empty() ? "does not agree with that of stage 0"
                               : joined({"does not agree with the checkpoint mode, ", in_quotes(checkpoint)})};
  }
  return {};
}

/// Checks whether a gradient of the input lacks its gradient of the weights.
[[nodiscard]] inline plan_fault input_fault(const plan& made) {
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    if (!made.stages[s].backward_input || made.stages[s].backward_weight) continue;
    return {element_at("/stages", s, "/backward_input"), "a time", "stands without backward_weight"};
  }
  return {};
}

/// The JSON pointer to an op: two that run together are one element.
[[nodiscard]] inline std::string order_pointer(const plan& made, std::size_t rank, std::size_t position) {
  const std::vector<op>& order = made.schedule.orders[rank];
  std::size_t element = 0;
  bool second = false;  // of a pair
  for (std::size_t i = 0; i < position; ++i) {
    second = order[i].with_next && !second;
    if (!second) ++element;
  }
  const std::string pointer = element_at(element_at("/schedule/orders", rank), element);
  const bool pair = second || (order[position].with_next && position + 1 < order.size());
  return pair ? element_at(pointer, second ? 1 : 0) : pointer;
}

/// Checks slices of sequences, which only one schedule supports.
[[nodiscard]] inline plan_fault slices_fault(const plan& made) {
  const std::size_t slices = made.schedule.slices;
  const stagecut::schedule_entry* const entry = stagecut::find_schedule(made.schedule.name);
  if (slices == 1 || (slices != 0 && entry != nullptr && entry->takes == shape_figure::slices)) return {};
  return {"/schedule/slices", number_text(slices),
          joined({"does not agree with the schedule: ", stagecut::entry_of(schedule_kind::sliced).name,
                  " alone cuts sequences, into 1 or more"})};
}

/// Checks a custom order.
[[nodiscard]] inline plan_fault order_fault(const plan& made) {
  const auto& orders = made.schedule.orders;
  if (orders.empty()) return {};
  if (made.schedule.group != 0) {
    return {"/schedule/group", number_text(made.schedule.group),
            "does not agree with a schedule of one's own, which gives it"};
  }
  if (!made.schedule.name.empty()) {
    return {"/schedule/name", in_quotes(made.schedule.name), "does not agree with an order of one's own, which has no name"};
  }
  if (orders.size() != made.devices) {
    return {"/schedule/orders", joined({number_text(orders.size()), " orders"}),
            joined({"are not the number of devices, ", number_text(made.devices)})};
  }
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t i = 0; i < orders[r].size(); ++i) {
      const op& each = orders[r][i];
      if (!is_compute(each.kind)) return {order_pointer(made, r, i), to_string(each), "is no pass"};
      if (each.slice != 0) return {order_pointer(made, r, i), to_string(each), "is of a slice, not of a microbatch"};
    }
  }
  const auto fault = stagecut::detail::find_fault(stagecut::detail::given_order(made));
  if (fault.problem.empty()) return {};
  if (fault.rank == fault.none) return {"/schedule", "the schedule", fault.problem};
  if (fault.op == fault.none) return {element_at("/schedule/orders", fault.rank), "the order", fault.problem};
  return {order_pointer(made, fault.rank, fault.op), to_string(orders[fault.rank][fault.op]), fault.problem};
}

/// Checks the passes of the timeline.
[[nodiscard]] inline plan_fault timeline_fault(const plan& made) {
  const std::size_t stages = made.stages.size();
  const std::size_t m = made.schedule.microbatches;
  for (std::size_t i = 0; i < made.timeline.size(); ++i) {
    const timed_pass& pass = made.timeline[i];
    const std::string pointer = element_at("/timeline", i);
    if (pass.stage >= stages) return not_below(joined({pointer, "/0"}), pass.stage, "stages", stages);
    if (m != 0 && pass.microbatch >= m) return not_below(joined({pointer, "/1"}), pass.microbatch, "microbatches", m);
    if (!is_compute(pass.kind)) return {joined({pointer, "/2"}), to_string(pass.kind), "is no pass"};
    if (pass.end < pass.start) return {pointer, "the end", "is before the start"};
  }
  return {};
}

/// Checks what was minimized, and the memory model. Empty words mean nothing.
[[nodiscard]] inline plan_fault figures_fault(const plan& made) {
  const auto unknown = [](const char* pointer, const std::string& text, const auto& words) {
    return plan_fault{pointer, in_quotes(text), joined({"is none of ", stagecut::list_names(words), ", nor empty"})};
  };
  const auto& [name, of, value, bound, state] = made.objective;
  if (!name.empty() && stagecut::find_name(objective_names, name) == nullptr) {
    return unknown("/objective/name", name, objective_names);
  }
  if (bound > value) return {"/objective/bound", "the bound", "does not agree with the value, which it is above"};
  const std::string& checkpoint = made.memory.checkpoint;
  if (!checkpoint.empty() && stagecut::find_name(checkpointing_names, checkpoint) == nullptr) {
    return unknown("/memory/checkpoint", checkpoint, checkpointing_names);
  }
  const std::vector<double>& own = made.memory.memory_limit.of_ranks();
  if (!own.empty() && own.size() != made.devices) {
    return {"/memory/memory_limit", joined({number_text(own.size()), " limits"}),
            joined({"are not the number of devices, ", number_text(made.devices)})};
  }
  if (made.memory.buffer_fraction >= 1) return {"/memory/buffer_fraction", "the fraction", "is not below 1"};
  return {};
}

/// Checks the end of an iteration.
[[nodiscard]] inline plan_fault makespan_fault(const plan& made) {
  if (!made.makespan) return {};
  if (made.schedule.name.empty() && made.schedule.orders.empty()) {
    return {"/makespan", "a time", "is given without a schedule"};
  }
  if (made.schedule.microbatches != 0) return {};
  return {"/makespan", "a time", "does not agree with a number of microbatches that is not known"};
}

/// The first inconsistency in a plan.
[[nodiscard]] inline plan_fault find_plan_fault(const plan& made) {
  for (const auto find : {cuts_fault, devices_fault, edges_fault, choices_fault, figures_fault, kept_fault, input_fault,
                          slices_fault, order_fault, makespan_fault, timeline_fault}) {
    if (plan_fault fault = find(made)) return fault;
  }
  return {};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
