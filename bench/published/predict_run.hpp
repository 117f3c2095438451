// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "published_run.hpp"

#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

// Predictions of stagecut for published runs: their profiles, with their cuts, simulated.
namespace published {

/// The end layers of a run's stages: equal numbers, except for the first and the last one.
inline std::vector<std::size_t> stage_ends(const run& of) {
  const std::size_t stages = of.devices * of.chunks;
  const std::size_t all = of.model.layers + 2 * of.fewer;
  if (all % stages != 0) throw std::runtime_error(of.name + " is not cut into equal stages");
  std::vector<std::size_t> ends;
  for (std::size_t s = 1; s <= stages; ++s) ends.push_back(1 + all / stages * s - of.fewer);
  ends.back() = of.model.layers + 3;  // plus an embedding, a norm and a head
  return ends;
}

/// The times of a run's stages.
inline stagecut::pass_times<double> stage_times(const run& of, const stagecut::profile& profile, double message) {
  stagecut::pass_times<double> times;
  std::size_t i = 0;
  for (const std::size_t end : stage_ends(of)) {
    double forward = message, input = message, weight = 0, update = 0;
    for (; i < end; ++i) {
      forward += profile.layers[i].forward;
      input += *profile.layers[i].backward_input;
      weight += *profile.layers[i].backward_weight;
      update += profile.layers[i].update;
    }
    times.forward.push_back(forward);
    times.backward_input.push_back(input);
    times.backward_weight.push_back(weight);
    times.backward.push_back(input + weight);
    times.all_reduce.push_back(update);
  }
  return times;
}

/// The peak bytes of any device under 1F1B with one stage each: stage s keeps one microbatch per stage from itself on.
inline double peak_bytes(const run& of) {
  const stagecut::profile profile = stagecut::transformer::profile(of.model, of.training, of.on);
  double most = 0;
  std::size_t i = 0, stage = 0;
  for (const std::size_t end : stage_ends(of)) {
    double resident = 0, activations = 0, workspace = 0;
    for (; i < end; ++i) {
      const stagecut::layer& each = profile.layers[i];
      resident += *each.resident;
      for (const auto& tied : each.tied) resident += tied.resident.value_or(0);
      activations += each.activations;
      workspace = std::max(workspace, each.workspace);
    }
    most = std::max(most, resident + activations * static_cast<double>(of.devices - stage++) + workspace);
  }
  return most;
}

/// The predicted seconds.
inline double predicted_seconds(const run& of, const stagecut::transformer::efficiencies& reached) {
  const stagecut::profile profile = stagecut::transformer::profile(of.model, of.training, of.on, reached);
  const stagecut::transformer::roofline clock(of.on, of.training.precision, reached);
  const double neighbours = of.gpus() / static_cast<double>(of.devices);
  // Ranks of a pipeline are farthest apart; the slowest message counts.
  const auto group = clock.group(2, of.gpus() > static_cast<double>(of.on.domain) ? of.gpus() : neighbours);
  // Without sequence parallelism each device of a stage sends its share of the replicated tensor (Narayanan et al.,
  // section 4.1).
  const double parts =
      of.training.sequence_parallel.value_or(true) ? 1 : static_cast<double>(of.training.tensor_parallel);
  const double message = profile.layers[1].output / parts / clock.link_rate(group) + clock.latency(group);
  const auto times = stage_times(of, profile, of.messages_shown && of.devices > 1 ? message : 0);
  if (of.schedule == "zero bubble") {
    double heaviest = 0;
    for (std::size_t s = 0; s < of.devices; ++s) {
      heaviest = std::max(heaviest, (times.forward[s] + times.backward[s]) * static_cast<double>(of.microbatches()) +
                                        times.all_reduce[s]);
    }
    return heaviest;
  }
  const stagecut::schedule order =
      stagecut::make_schedule(stagecut::find_schedule(of.schedule)->kind,
                              {.ranks = of.devices, .stages_per_rank = of.chunks, .microbatches = of.microbatches()});
  const double hidden = of.messages_shown ? 0 : message;
  return stagecut::simulate(order, times, {stagecut::transfer_kind::link, {hidden}, {hidden}}).makespan;
}

}  // namespace published
