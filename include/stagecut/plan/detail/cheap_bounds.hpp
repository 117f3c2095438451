// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/detail/verify_costs.hpp>
#include <stagecut/plan/detail/verify_placement.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

// Lower bounds of any plan of a profile on these devices, for any stages.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The greatest sum over layers that have to stay together.
[[nodiscard]] inline double heaviest_group(const verified_plan& all, const std::vector<double>& layers) {
  double most = 0;
  std::vector<named_layer> named;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    most = std::max(most, layers[i]);
    const std::string_view group = all.model.layers[i].group;
    if (!group.empty()) named.push_back({group, i});
  }
  std::stable_sort(named.begin(), named.end(), [](const named_layer& a, const named_layer& b) { return a.name < b.name; });
  double sum = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (i == 0 || named[i].name != named[i - 1].name) sum = 0;
    sum += layers[named[i].layer];
    most = std::max(most, sum);
  }
  return most;
}

/// The least seconds of a backward pass, whole or as I and W.
[[nodiscard]] inline double least_backward(const chosen_figures& each) {
  if (!each.backward_input || !each.backward_weight) return each.backward;
  const double parts = *each.backward_input + *each.backward_weight;
  return parts < each.backward ? parts : each.backward;
}

/// The least seconds of a layer, both passes: the mean over the microbatches.
[[nodiscard]] inline double least_seconds(const verified_plan& all, std::size_t i) {
  const chosen_figures& each = all.figures[i];
  const layer& from = all.model.layers[i];
  const auto m = static_cast<double>(all.made.schedule.microbatches);
  double again = 0;
  for (const planned_stage& stage : all.made.stages) {
    if (stage.backward_kept) again = m > 0 ? (m - 1) / m : 1;
  }
  if (all.made.memory.checkpoint == "always") again = 1;
  const double backward = detail::least_backward(each);
  const double both = each.forward + backward + again * each.forward;
  if (!from.cpu) return both;
  return !from.accelerator || *from.cpu < both ? *from.cpu : both;
}

/// The latency of a layer for a microbatch, forward and back, without the weight gradient.
[[nodiscard]] inline double seconds_on_way(const verified_plan& all, std::size_t i) {
  const double both = detail::least_seconds(all, i);
  const double weight = all.figures[i].backward_weight.value_or(0);
  return both < weight ? 0 : both - weight;
}

/// The longest path of layers through the forward pass and back: no microbatch takes less.
[[nodiscard]] inline double longest_way(const verified_plan& all) {
  const std::size_t n = all.figures.size();
  std::vector<std::vector<std::size_t>> next(n);
  std::vector<std::size_t> waits_for(n);
  for (const auto& [from, to] : all.needs) {
    if (from >= n || to >= n || all.model.layers[from].is_backward || all.model.layers[to].is_backward) continue;
    next[from].push_back(to);
    ++waits_for[to];
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < n; ++i) {
    if (waits_for[i] == 0) ready.push_back(i);
  }
  std::vector<double> before(n);
  double most = 0;
  for (std::size_t at = 0; at < ready.size(); ++at) {
    const std::size_t i = ready[at];
    const double end = before[i] + detail::seconds_on_way(all, i);
    most = std::max(most, end);
    for (const std::size_t to : next[i]) {
      before[to] = std::max(before[to], end);
      if (--waits_for[to] == 0) ready.push_back(to);
    }
  }
  return most;
}

/// A lower bound of the objective; unset if none is known.
[[nodiscard]] inline std::optional<double> cheap_bound(const verified_plan& all) {
  const objective_value& said = all.made.objective;
  if (said.name == "range" || said.name == "variance" || said.name == "communication") return 0;
  for (const planned_stage& stage : all.made.stages) {
    if (stage.replicas * stage.tensor_parallel != 1) return std::nullopt;  // other plans have other numbers of devices
  }
  const bool timed = said.of == "time";
  if (all.stages() == 0 || all.figures.empty() || (!timed && !detail::measured_layer(all, 0))) return std::nullopt;
  for (const stage_seconds& seconds : all.seconds) {
    if (timed && seconds.unknown[0] != '\0') return std::nullopt;
  }
  std::vector<double> layers;
  double total = 0;
  for (std::size_t i = 0; i < all.figures.size(); ++i) {
    layers.push_back(timed ? detail::least_seconds(all, i) : detail::measured_layer(all, i).value_or(0));
    total += layers.back();
  }
  const bool makespan = said.name == "makespan";
  double speeds = 0;
  double fastest = timed ? 0 : 1;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const double speed = timed ? all.speed(s) : 1;
    fastest = std::max(fastest, speed);
    speeds +=
        makespan ? speed / static_cast<double>(all.made.stages_per_rank == 0 ? 1 : all.made.stages_per_rank) : speed;
  }
  if (said.name == "time-per-token") return total / fastest;
  const double average = total / speeds;
  const double heaviest = detail::heaviest_group(all, layers) / fastest;
  const double of_stages = average < heaviest ? heaviest : average;
  if (!makespan) return of_stages;
  // With slices, the first is under way while the next ones wait.
  const double once = detail::longest_way(all) / fastest / static_cast<double>(all.made.schedule.slices);
  const double all_of_them = static_cast<double>(all.made.schedule.microbatches) * of_stages;
  return once < all_of_them ? all_of_them : once;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
