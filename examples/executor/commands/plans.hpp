// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

#include "ranks/setup.hpp"
#include "work/model.hpp"

namespace executor {

/// A plan to run, with its prediction.
struct planned_run {
  std::string name{};  ///< `uniform`, `bottleneck`, `makespan`, or a file's name
  stagecut::plan plan{};
  stagecut::schedule order{};  ///< of its passes
  stagecut::pass_times<double> times{};
  stagecut::transfer_times<double> transfers{};
  stagecut::simulation<double> predicted{};
  std::vector<double> activations{};  ///< bytes of a microbatch per stage
};

/// Prepares a plan for running.
/// @param order  of its passes; empty: the plan's own
/// @throws       stagecut::invalid_input for a plan that is not a chain, has slices, or whose ranks wait for each other
///               in a cycle
///
/// Overlapping passes of a rank run sequentially, in the prediction as well as in the run.
[[nodiscard]] inline planned_run prepare(std::string name, stagecut::plan made, stagecut::schedule order = {}) {
  if (order.orders.empty()) order = stagecut::schedule_of(made);
  if (!made.edges.empty() || !made.assignment.empty() || order.slices > 1) {
    throw stagecut::invalid_input("plan", "its stages are no chain, or its microbatches have slices: that is not run");
  }
  if (order.stages() != made.stages.size()) {
    throw stagecut::invalid_input("plan", "the schedule has another number of stages");
  }
  for (auto& rank : order.orders) {
    for (stagecut::op& op : rank) op.with_next = false;
  }
  planned_run result{.name = std::move(name), .plan = std::move(made), .order = order};
  const bool split = stagecut::has_kind(order, stagecut::op_kind::backward_weight);
  result.times = stagecut::times_of(result.plan, split);
  result.transfers = stagecut::transfers_of(result.plan);
  result.predicted = stagecut::simulate(order, result.times, result.transfers);
  for (std::size_t s = 0; s < order.stages(); ++s) {
    double sum = 0;
    for (const std::size_t i : stagecut::layers_of(result.plan, s)) sum += result.plan.profile.layers[i].activations;
    result.activations.push_back(sum);
  }
  return result;
}

/// Common options of the plans in a table.
struct plan_options {
  std::size_t ranks = 2;
  std::size_t microbatches = 8;
  stagecut::link_speed link{};
};

/// Stages per rank: as the schedule requires, two if it supports any number.
[[nodiscard]] inline std::size_t chunks_of(const stagecut::schedule_entry& entry) {
  return entry.stages_per_rank == 0 ? 2 : entry.stages_per_rank;
}

/// Cuts a model evenly by layers, by the heaviest stage, and by the makespan, for a schedule.
///
/// The first two only use the schedule's number of stages.
/// @throws stagecut::argument_error for ranks and microbatches that the schedule does not support
[[nodiscard]] inline std::vector<planned_run> three_plans(const stagecut::profile& model, const plan_options& options,
                                                          stagecut::schedule_kind kind) {
  const stagecut::schedule_entry& entry = stagecut::entry_of(kind);
  const std::size_t chunks = chunks_of(entry);
  const stagecut::schedule order =
      stagecut::make_schedule(kind, {.ranks = options.ranks, .stages_per_rank = chunks, .microbatches = options.microbatches});
  stagecut::plan_request request;
  request.microbatches = options.microbatches;
  request.links = {options.link};
  const auto planned = [&](const char* name) {
    auto made = stagecut::make_plan(model, request);
    if (!made) throw std::runtime_error(name + std::string(": ") + made.why().text());
    made->devices = options.ranks;
    made->stages_per_rank = chunks;
    made->schedule.name = entry.name;
    for (std::size_t s = 0; s < order.stages(); ++s) made->stages[s].device = order.rank_of[s];
    return prepare(name, *std::move(made), order);
  };
  std::vector<planned_run> result;
  request.devices = order.stages();
  request.schedule = stagecut::schedule_kind::gpipe;
  request.objective = stagecut::plan_objective::bottleneck;
  request.by = stagecut::measure::layers;
  result.push_back(planned("uniform"));
  request.by = stagecut::measure::time;
  result.push_back(planned("bottleneck"));
  request.devices = options.ranks;
  request.stages_per_rank = chunks;
  request.schedule = kind;
  request.objective = stagecut::plan_objective::makespan;
  result.push_back(planned("makespan"));
  return result;
}

/// The cut points of a plan, including both ends.
[[nodiscard]] inline std::vector<std::size_t> points_of(const stagecut::plan& made) {
  std::vector<std::size_t> result;
  for (std::size_t s = 0; s <= made.cuts.stages(); ++s) result.push_back(made.cuts[s]);
  return result;
}

/// The setup for running a plan: with the model, if the plan is for it, else with stages that only take time.
/// @throws std::invalid_argument if a model was requested and the plan is for another one
[[nodiscard]] inline run_setup setup_of(const planned_run& run, const model_config* model) {
  run_setup result;
  result.order = stagecut::lower_transfers(run.order);
  if (model != nullptr) {
    if (run.plan.profile.layers.size() != model->layers() || run.order.microbatches != model->microbatches) {
      throw std::invalid_argument(
          fmt::format("the plan has {} layers and {} microbatches, and the model {} and {}: it is of another one, "
                      "which `--model` may name, or `--work timed` runs without",
                      run.plan.profile.layers.size(), run.order.microbatches, model->layers(), model->microbatches));
    }
    result.model = *model;
    result.cuts = points_of(run.plan);
    return result;
  }
  if (!run.transfers.forward.empty() && run.transfers.kind != stagecut::transfer_kind::link) {
    throw stagecut::invalid_input("plan", "its messages do not occupy links: such are not held for a time");
  }
  result.collect = false;
  const std::size_t m = run.order.microbatches;
  for (std::size_t s = 0; s < run.order.stages(); ++s) {
    for (std::size_t k = 0; k < m; ++k) {
      const auto of = [&](const std::vector<double>& times) {
        return times.empty() ? 0 : times[times.size() == run.order.stages() ? s : s * m + k];
      };
      result.hold.push_back({of(run.times.forward), of(run.times.backward), of(run.times.backward_input),
                             of(run.times.backward_weight),
                             static_cast<std::size_t>(run.activations[s]) / sizeof(float)});
    }
  }
  result.delays = run.transfers.forward;
  return result;
}

/// A chain of layers of uneven times for runs without computation: a few milliseconds each, the last the longest.
[[nodiscard]] inline stagecut::profile timed_profile(std::size_t layers, unsigned seed) {
  std::mt19937 random(seed);
  stagecut::profile result;
  result.name = "timed";
  for (std::size_t i = 0; i < layers; ++i) {
    stagecut::layer each;
    each.name = "layer." + std::to_string(i);
    each.forward = 0.001 * static_cast<double>(1 + random() % 8) * (i + 1 == layers ? 2 : 1);
    each.backward_input = each.forward;
    each.backward_weight = each.forward;
    each.backward = 2 * each.forward;
    each.activations = each.output = 4096;
    result.layers.push_back(each);
  }
  return result;
}

}  // namespace executor
