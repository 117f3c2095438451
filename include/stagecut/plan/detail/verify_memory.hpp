// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/detail/verify_messages.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// The bytes of the stages of a plan, and of its devices.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Resident bytes for the parameters of a stage; shared ones count once, as in the first layer that has them, divided
/// by the least number of devices among the layers that share them.
[[nodiscard]] inline double resident_of(const verified_plan& all, std::size_t s, bool as_profiled) {
  const double multiplier = all.made.memory.parameter_multiplier;
  double sum = 0;
  std::vector<std::string_view> met;
  for (const std::size_t i : all.layers[s]) {
    const chosen_figures& each = all.figures[i];
    sum += as_profiled && each.resident ? *each.resident : each.parameters * multiplier;
    for (const tied_parameters& tied : all.model.layers[i].tied) {
      bool again = false;
      for (const std::string_view name : met) again = again || name == tied.name;
      if (again) continue;
      met.push_back(tied.name);
      const double stays = as_profiled && tied.resident ? *tied.resident : tied.bytes * multiplier;
      std::size_t ways = each.ways;
      for (const std::size_t other : all.layers[s]) {
        for (const tied_parameters& same : all.model.layers[other].tied) {
          if (same.name == tied.name && all.figures[other].ways < ways) ways = all.figures[other].ways;
        }
      }
      sum += stays / static_cast<double>(ways);
    }
  }
  return sum;
}

/// The memory of a stage without its resident part. If a tensor goes to several stages, the sender's buffers count it
/// once or, with `by_message`, once for each.
[[nodiscard]] inline planned_memory passing_memory(const verified_plan& all, std::size_t s, bool by_message) {
  planned_memory result;
  if (all.layers[s].empty()) return result;  // plans have no memory for what it forwards
  double activations = 0;
  double with_recomputed = 0;  // of the layer that needs most
  double recomputed = 0;       // by all layers
  for (const std::size_t i : all.layers[s]) {
    const chosen_figures& each = all.figures[i];
    activations += each.activations;
    const double again = each.recomputed / static_cast<double>(all.made.schedule.slices);
    recomputed += again;
    result.workspace = std::max(result.workspace, each.workspace);
    with_recomputed = std::max(with_recomputed, each.workspace + again);
  }
  double received = 0;
  double sent = 0;
  for (const planned_edge& edge : all.edges) {
    if (edge.to == s) received += edge.bytes;
    if (edge.from == s && by_message) sent += edge.bytes;
  }
  if (!by_message) {
    // Tensors of a graph also go to earlier stages: what the backward pass needs there.
    const bool graph = !all.made.edges.empty();
    if (graph) received = 0;
    std::vector<char> counted(all.stage_of.size());
    for (const profile_edge& edge : all.flow) {
      const std::size_t from = all.stage_of[edge.from];
      const std::size_t to = all.stage_of[edge.to];
      if (all.model.layers[edge.from].is_backward || from == to || (from > to && !graph)) continue;
      const char way = from == s ? 1 : graph && to == s ? 2 : 0;
      if (way == 0 || counted[edge.from] != 0) continue;  // for each producer one direction only
      counted[edge.from] = way;
      (way == 1 ? sent : received) += all.figures[edge.from].output;
    }
  }
  const auto share = static_cast<double>(all.made.own_microbatches ? 1 : all.made.stages[s].replicas);
  result.buffers = all.made.memory.boundary_buffers * (received + sent) / share;
  const std::string& checkpoint = all.made.memory.checkpoint;
  const bool again = checkpoint == "always" || checkpoint == "except_last";
  result.activations = again ? received : activations;
  const double all_again = again ? activations / static_cast<double>(all.made.schedule.slices) : 0;
  result.recomputed = all_again + with_recomputed - result.workspace;
  result.recomputed_apart = recomputed - (with_recomputed - result.workspace);
  return result;
}

/// The memory of each stage, from its layers.
[[nodiscard]] inline std::vector<planned_memory> memory_of_stages(const verified_plan& all) {
  bool profiled = false;
  for (const chosen_figures& each : all.figures) profiled = profiled || each.resident;
  for (const auto& layer : all.model.layers) {
    for (const tied_parameters& tied : layer.tied) profiled = profiled || tied.resident;
  }
  // A plan names its optimizer, not whether the profile's resident bytes were used: take whichever agrees.
  bool as_profiled = true;
  if (profiled && all.made.memory.optimizer != "as profiled") {
    bool multiplied = true;
    for (std::size_t s = 0; s < all.stages(); ++s) {
      const double said = all.made.stages[s].memory.resident;
      as_profiled = as_profiled && nearly_equal(said, detail::resident_of(all, s, true));
      multiplied = multiplied && nearly_equal(said, detail::resident_of(all, s, false));
    }
    as_profiled = as_profiled || !multiplied;
  }
  std::vector<planned_memory> result;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    planned_memory here = detail::passing_memory(all, s, false);
    const double by_message = detail::passing_memory(all, s, true).buffers;
    const double said = all.made.stages[s].memory.buffers * static_cast<double>(all.made.schedule.slices);
    if (nearly_equal(said, by_message)) here.buffers = by_message;
    here.resident = detail::resident_of(all, s, as_profiled);
    for (double* const bytes : {&here.activations, &here.buffers}) {
      *bytes /= static_cast<double>(all.made.schedule.slices);
    }
    result.push_back(here);
  }
  return result;
}

/// The peak bytes of a device. Without an order, of one stage alone: what its microbatches in flight need together.
[[nodiscard]] inline double fullest_moment(const verified_plan& all, const std::vector<planned_memory>& memory,
                                           const schedule& order, std::size_t device) {
  double stays = 0;
  double held = 0;
  double most = 0;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_stage& stage = all.made.stages[s];
    if (stage.device != device) continue;
    stays += memory[s].resident + memory[s].workspace + memory[s].buffers;
    if (order.ranks() != 0) continue;
    const std::size_t count = stage.in_flight == 0 ? 1 : stage.in_flight;
    most += memory[s].activations * static_cast<double>(stage.backward_kept ? count - 1 : count) + memory[s].recomputed;
  }
  for (std::size_t i = 0; order.ranks() != 0 && i < order.orders[device].size(); ++i) {
    const op& each = order.orders[device][i];
    const planned_memory& stage = memory[each.stage];
    const bool kept = each.microbatch + 1 == order.microbatches && all.made.stages[each.stage].backward_kept;
    const double first = kept ? stage.recomputed : stage.activations;
    const double again = kept ? 0 : stage.recomputed;
    if (each.kind == op_kind::forward) held += first;
    if (each.kind == op_kind::backward) held += again;
    if (each.kind == op_kind::backward_input) held += again + stage.recomputed_apart;
    most = std::max(most, held);
    if (each.kind == op_kind::backward) held -= first + again;
    if (each.kind == op_kind::backward_weight) held -= first + again + stage.recomputed_apart;
  }
  return stays + most;
}

/// Compares the memory of each stage.
inline void compare_memory(const verified_plan& all, const std::vector<planned_memory>& memory, check_notes& notes) {
  planned_memory whole;
  for (const planned_memory& each : memory) {
    whole.resident += each.resident;
    whole.activations += each.activations;
    whole.recomputed += each.recomputed + each.recomputed_apart;
  }
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_memory& said = all.made.stages[s].memory;
    const std::string place = stage_text(s);
    if (all.made.stages[s].on_cpu && said == planned_memory{}) {
      notes.not_checked(place, "stands on a CPU, whose memory was not reckoned");
      continue;
    }
    if (const char* const unknown = all.seconds[s].unknown; unknown[0] != '\0') {
      notes.not_checked(place, unknown);
      continue;
    }
    notes.compare(place, "resident is not the sum over its layers", said.resident, memory[s].resident, whole.resident);
    notes.compare(place, "activations are not the sum over its layers", said.activations, memory[s].activations,
                  whole.activations);
    notes.compare(place, "workspace is not the one of its layers", said.workspace, memory[s].workspace);
    notes.compare(place, "buffers are not those of its ends", said.buffers, memory[s].buffers);
    notes.compare(place, "recomputed is not the one of its layers", said.recomputed, memory[s].recomputed,
                  whole.recomputed);
    notes.compare(place, "recomputed_apart is not the one of its layers", said.recomputed_apart,
                  memory[s].recomputed_apart, whole.recomputed);
  }
}

/// Compares the peak of each device with the limit.
inline void verify_limit(const verified_plan& all, const std::vector<planned_memory>& memory, const schedule& order,
                         check_notes& notes) {
  const memory_model& said = all.made.memory;
  double claimed = 0;
  double found = 0;
  std::vector<planned_memory> claims;
  for (const planned_stage& each : all.made.stages) claims.push_back(each.memory);
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_stage& stage = all.made.stages[s];
    if (stage.on_cpu) continue;
    if (order.ranks() == 0 && all.made.stages_per_rank > 1) {
      return notes.not_checked("", "stages share a device, and when is not known");
    }
    const double here = detail::fullest_moment(all, memory, order, stage.device);
    const double claim = detail::fullest_moment(all, claims, order, stage.device);
    claimed = std::max(claimed, claim);
    found = std::max(found, here);
    const std::vector<double>& own = said.memory_limit.of_ranks();
    if (!own.empty() && stage.device >= own.size()) {
      notes.broken(joined({"device ", stage.device}), "has no limit, and others have");
      continue;
    }
    const double limit = said.memory_limit.of(stage.device, 0) * (1 - said.buffer_fraction);
    if (!said.memory_limit || !clearly_above(here, limit)) continue;
    notes.broken(joined({"device ", stage.device}), "holds more than the limit", limit, here);
  }
  notes.figures(claimed, found);
}

/// Checks the memory of all stages, and the limit.
/// @param order  without ranks if it is not known
[[nodiscard]] inline plan_check verify_memory_of(const verified_plan& all, const schedule& order) {
  check_notes notes("memory");
  const memory_model& said = all.made.memory;
  if (all.stage_of.empty()) {
    notes.not_checked("", no_stages);
    return notes.take();
  }
  if (said.optimizer.empty()) {
    for (std::size_t s = 0; s < all.stages(); ++s) {
      if (all.made.stages[s].memory != planned_memory{})
        notes.broken(stage_text(s), "memory is given, and the plan does not give how it was computed");
    }
    if (said.memory_limit) notes.broken("", "there is a limit, and memory was not reckoned");
    notes.not_checked("", "memory was not reckoned");
    return notes.take();
  }
  for (const double each : {said.parameter_multiplier, said.boundary_buffers, said.buffer_fraction}) {
    if (!is_finite(each) || is_negative(each)) notes.broken("", "what it was reckoned by is negative or not finite");
  }
  bool devices = true;
  for (const planned_stage& stage : all.made.stages) devices = devices && stage.device < all.made.devices;
  const std::vector<planned_memory> memory = detail::memory_of_stages(all);
  detail::compare_memory(all, memory, notes);
  if (devices) detail::verify_limit(all, memory, order, notes);
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
