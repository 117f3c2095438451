// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/simulate_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/schedule_shape.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<stage_edge> stage_edges_of(const plan& made) {
  std::vector<stage_edge> result;
  for (const planned_edge& edge : made.edges) result.push_back({edge.from, edge.to});
  return result;
}

namespace detail {

STAGECUT_DECL schedule given_order(const plan& made) {
  schedule result;
  result.microbatches = made.schedule.microbatches;
  for (const planned_stage& stage : made.stages) result.rank_of.push_back(stage.device);
  result.orders = made.schedule.orders;
  result.edges = stage_edges_of(made);
  return result;
}

STAGECUT_DECL schedule named_schedule_of(const plan& made) {
  const schedule_entry* const entry = find_schedule(made.schedule.name);
  const std::string name = in_quotes(made.schedule.name);
  if (made.schedule.name.empty()) fail(invalid_input("plan", "names no schedule"));
  if (entry == nullptr) fail(invalid_input("plan", joined({"its schedule ", name, " is not known"})));
  if (made.schedule.microbatches == 0) fail(invalid_input("plan", "knows no number of microbatches"));
  if (entry->make == nullptr)
    fail(invalid_input("plan", joined({"its schedule is ", name, ", and it gives no order"})));
  schedule_shape shape;
  shape.ranks = made.devices;
  shape.stages_per_rank = made.stages_per_rank;
  shape.microbatches = made.schedule.microbatches;
  shape.group = made.schedule.group;
  shape.slices = made.schedule.slices;
  if (entry->takes == shape_figure::in_flight) {
    for (const planned_stage& stage : made.stages) shape.in_flight.push_back(stage.in_flight);
  }
  bool last_kept = false;
  for (const planned_stage& stage : made.stages) last_kept = last_kept || stage.backward_kept.has_value();
  schedule result = make_schedule(last_kept ? entry->with_last_kept : entry->kind, shape);
  for (std::size_t s = 0; s < result.stages(); ++s) {
    if (s < made.stages.size() && made.stages[s].device == result.rank_of[s]) continue;
    fail(invalid_input("plan",
                       joined({"stage ", s, " is not on device ", result.rank_of[s], ", where ", name, " runs it"})));
  }
  result.edges = stage_edges_of(made);
  return result;
}

STAGECUT_DECL void refuse_split(const plan& made, std::size_t s) {
  std::string place = joined({"stage ", s});
  for (const std::size_t i : layers_of(made, s)) {
    if (made.profile.layers[i].backward_weight) continue;
    place = layer_text(made.profile, i);
    break;
  }
  fail(invalid_input(place, "has no backward_weight: the schedule runs the gradients of input and weights apart"));
}

STAGECUT_DECL std::vector<double> message_bytes(const plan& made) {
  std::vector<double> result;
  for (const planned_edge& edge : made.edges) result.push_back(edge.bytes);
  if (!made.edges.empty()) return result;
  if (!made.assignment.empty())
    fail(invalid_input("plan", "its stages are no chain, and it has no edges between them"));
  for (std::size_t s = 1; s < made.cuts.stages(); ++s)
    result.push_back(made.cuts[s] == 0 ? 0 : output_of(made, made.cuts[s] - 1));
  return result;
}

}  // namespace detail

STAGECUT_DECL schedule schedule_of(const plan& made) {
  if (made.schedule.orders.empty()) return detail::named_schedule_of(made);
  if (!made.schedule.name.empty()) {
    detail::fail(invalid_input("plan", detail::joined({"names the schedule ", detail::in_quotes(made.schedule.name),
                                                       " and gives an order of its own"})));
  }
  schedule result = detail::given_order(made);
  check_schedule(result);
  return result;
}

STAGECUT_DECL pass_times<double> times_of(const plan& made, bool split) {
  const std::size_t m = made.schedule.microbatches;
  bool last_kept = false;
  bool reduces = false;
  for (const planned_stage& stage : made.stages) {
    last_kept = last_kept || (stage.backward_kept && m != 0);
    reduces = reduces || stage.all_reduce != 0;
  }
  pass_times<double> result;
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const planned_stage& stage = made.stages[s];
    result.forward.push_back(stage.forward);
    if (reduces) result.all_reduce.push_back(stage.all_reduce);
    if (split && !stage.backward_weight) detail::refuse_split(made, s);
    const double weight = stage.backward_weight.value_or(0);
    for (std::size_t k = 0; k < (last_kept ? m : 1); ++k) {
      const double backward = last_kept && k + 1 == m ? stage.backward_kept.value_or(stage.backward) : stage.backward;
      result.backward.push_back(backward);
      if (!split) continue;
      // Recomputation precedes the input gradient.
      const double input =
          stage.backward_input ? *stage.backward_input - (stage.backward - backward) : backward - weight;
      result.backward_input.push_back(input > 0 ? input : 0);
      result.backward_weight.push_back(weight);
    }
  }
  if (made.schedule.slices == 1) return result;
  for (auto* const each : {&result.forward, &result.backward, &result.backward_input, &result.backward_weight}) {
    for (double& time : *each) time /= static_cast<double>(made.schedule.slices);
  }
  return result;
}

STAGECUT_DECL stage_bytes bytes_of(const plan& made) {
  stage_bytes result;
  bool any = false;
  bool again = false;
  bool last_kept = false;
  for (const planned_stage& stage : made.stages) {
    const planned_memory& memory = stage.memory;
    if (stage.in_flight == 0) return {};
    any = any || memory != planned_memory{};
    again = again || memory.recomputed != 0 || memory.recomputed_apart != 0;
    last_kept = last_kept || (stage.backward_kept && made.schedule.microbatches != 0);
    result.resident.push_back(memory.resident + memory.workspace + memory.buffers);
  }
  if (!any) return {};
  for (const planned_stage& stage : made.stages) {
    if (again)
      result.recomputed_apart.push_back(static_cast<double>(made.schedule.slices) * stage.memory.recomputed_apart);
  }
  const std::size_t m = last_kept ? made.schedule.microbatches : 1;
  const auto slices = static_cast<double>(made.schedule.slices);
  for (const planned_stage& stage : made.stages) {
    const planned_memory& memory = stage.memory;
    for (std::size_t k = 0; k < m; ++k) {
      const bool kept = last_kept && k + 1 == m && stage.backward_kept.has_value();
      result.activations.push_back(slices * (kept ? memory.recomputed : memory.activations));
      if (again) result.recomputed.push_back(kept ? 0 : slices * memory.recomputed);
    }
  }
  return result;
}

STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, std::size_t slices) {
  transfer_times<double> result;
  const std::vector<link_speed>& links = made.messages.links;
  if (links.empty()) return result;
  const auto* const known = stagecut::find_name(transfer_kind_names, made.messages.kind);
  if (known == nullptr) {
    detail::fail(invalid_input(
        "plan", detail::joined({"its messages of kind ", detail::in_quotes(made.messages.kind), " are not known"})));
  }
  result.kind = known->value;
  const std::vector<double> bytes = detail::message_bytes(made);
  if (links.size() != 1 && links.size() != bytes.size()) {
    detail::fail(invalid_input("plan", made.edges.empty()
                                           ? "its links are neither one nor one for each boundary of stages"
                                           : "its links are neither one nor one for each edge"));
  }
  const auto parts = static_cast<double>(slices == 0 ? made.schedule.slices : slices);
  for (std::size_t b = 0; b < bytes.size(); ++b) {
    result.forward.push_back(links[links.size() == 1 ? 0 : b](bytes[b] / parts));
  }
  result.backward = result.forward;
  return result;
}

STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, double latency, double bandwidth,
                                                  transfer_kind kind) {
  for (const auto& [name, value] : {std::pair("latency", latency), std::pair("bandwidth", bandwidth)}) {
    if (is_finite(value) && !is_negative(value)) continue;
    detail::fail(argument_error("transfers_of", name, std::to_string(value), "must be finite and not negative"));
  }
  transfer_times<double> result;
  result.kind = kind;
  for (const double bytes : detail::message_bytes(made)) {
    result.forward.push_back(bandwidth == 0 ? latency : latency + bytes / bandwidth);
  }
  result.backward = result.forward;
  return result;
}

STAGECUT_DECL std::optional<double> memory_limit_of(const plan& made, std::size_t rank) noexcept {
  const memory_limit& limit = made.memory.memory_limit;
  const std::size_t limits = limit.values().size();
  if (limits == 0 || (limits > 1 && rank >= limits)) return std::nullopt;
  return limit.of(rank, 0) * (1 - made.memory.buffer_fraction);
}

STAGECUT_DECL std::vector<double> device_memories(const plan& made) {
  const stage_bytes bytes = bytes_of(made);
  std::vector<double> result;
  if (bytes.resident.empty()) return result;
  for (const auto& each : memory_curve(schedule_of(made), simulation<double>(), bytes)) result.push_back(each.peak());
  return result;
}

STAGECUT_DECL std::vector<double> stage_memories(const plan& made) {
  std::vector<double> result;
  bool apart = false;
  for (const planned_stage& stage : made.stages) {
    result.push_back(stage.total_memory());
    apart = apart || stage.memory.recomputed + stage.memory.recomputed_apart > 0;
  }
  if (!apart || !made.makespan) return result;
  const stage_bytes bytes = bytes_of(made);
  const schedule order = schedule_of(made);
  if (bytes.resident.empty() || !has_kind(order, op_kind::backward_input)) return result;
  std::vector<double> held = bytes.resident;
  result = held;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    std::vector<std::size_t> stages;
    for (const auto& op : order.orders[r]) {
      if (is_compute(op.kind)) stages.push_back(op.stage);
    }
    detail::each_memory_change(order, r, bytes, [&](std::size_t i, bool, double change) {
      const std::size_t s = stages[i];
      held[s] += change;
      result[s] = std::max(result[s], held[s]);
    });
  }
  return result;
}

STAGECUT_DECL double fullest_device(const plan& made) {
  double most = 0;
  for (const double memory : device_memories(made)) most = std::max(most, memory);
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI
