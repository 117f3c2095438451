// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/computed_text.hpp"

/// The input of a simulation.
struct scenario {
  std::string title;
  stagecut::schedule order;
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> transfers;
  std::optional<stagecut::stage_bytes> bytes;  // unset: activations are counted
  std::optional<double> memory_limit;
  std::vector<double> memory_limits;  // per rank, if they differ
  bool seconds = true;
  double samples = 0;   // per microbatch; 0: unknown
  double replicas = 1;  // with their own microbatches
};

/// The result of a simulation.
struct simulated {
  stagecut::io::pipeline_picture picture;
  stagecut::makespan_parts parts;
  std::vector<double> peak_activations;  // per rank: microbatches through one of its stages
  double samples = 0;                    // per microbatch; 0: unknown
  double replicas = 1;                   // with their own microbatches

  /// The share of the makespan in which ranks do not compute.
  [[nodiscard]] double bubble_rate() const {
    return picture.run.makespan > 0 ? 1 - parts.work / picture.run.makespan : 0;
  }
};

inline simulated simulate(const scenario& of) {
  simulated result;
  auto& picture = result.picture;
  picture.title = of.title;
  picture.order = of.order;
  picture.run = stagecut::simulate(of.order, of.times, of.transfers);
  picture.memory = stagecut::memory_curve(of.order, picture.run, of.bytes.value_or(stagecut::stage_bytes{}));
  picture.memory_limit = of.memory_limit;
  picture.memory_limits = of.memory_limits;
  picture.seconds = of.seconds;
  result.samples = of.samples;
  result.replicas = of.replicas;
  picture.bytes = of.bytes.has_value();
  result.parts = stagecut::split_makespan(of.order, of.times, of.transfers);
  for (const auto& rank : stagecut::memory_curve(of.order, stagecut::simulation<double>{})) {
    result.peak_activations.push_back(rank.peak_activations);
  }
  return result;
}

/// The same stages on the devices of a schedule, at their speeds.
inline stagecut::plan placed(stagecut::plan plan, const stagecut::schedule& order) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    auto& stage = plan.stages[s];
    const std::size_t to = order.rank_of[s];
    if (!plan.speeds.empty() && to != stage.device) {
      const double slower = plan.speeds[stage.device] / plan.speeds[to];
      stage.forward *= slower;
      stage.backward *= slower;
      stage.all_reduce *= slower;
      if (stage.backward_kept) *stage.backward_kept *= slower;
      if (stage.backward_input) *stage.backward_input *= slower;
      if (stage.backward_weight) *stage.backward_weight *= slower;
    }
    stage.device = to;
  }
  return plan;
}

/// A plan under the schedule `order`, which has its stages, with message times there.
inline scenario scenario_of(const stagecut::plan& made, stagecut::schedule order, std::string title,
                            stagecut::transfer_times<double> transfers) {
  const stagecut::plan plan = placed(made, order);
  scenario result;
  result.title = std::move(title);
  result.times = stagecut::times_of(plan, stagecut::has_kind(order, stagecut::op_kind::backward_input));
  if (plan.schedule.slices != order.slices) {  // differs from the plan's schedule
    const double share = static_cast<double>(plan.schedule.slices) / static_cast<double>(order.slices);
    for (auto* const each :
         {&result.times.forward, &result.times.backward, &result.times.backward_input, &result.times.backward_weight}) {
      for (double& time : *each) time *= share;
    }
  }
  result.transfers = std::move(transfers);
  result.order = std::move(order);
  result.order.edges = stagecut::stage_edges_of(plan);
  const auto bytes = stagecut::bytes_of(plan);
  if (!bytes.activations.empty()) result.bytes = bytes;
  if (plan.memory.buffer_fraction <= 1) {
    if (plan.memory.memory_limit.of_ranks().empty()) result.memory_limit = stagecut::memory_limit_of(plan, 0);
    for (std::size_t d = 0; d < plan.memory.memory_limit.of_ranks().size(); ++d) {
      result.memory_limits.push_back(*stagecut::memory_limit_of(plan, d));
    }
  }
  result.seconds = !plan.profile.weights_only;
  result.samples = computed_figure(computed_figures(plan.profile), "microbatch", 0.0);
  if (plan.own_microbatches && !plan.stages.empty()) result.replicas = static_cast<double>(plan.stages[0].replicas);
  return result;
}
