// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracle.hpp"
#include "random_edges.hpp"

/// Task graphs of all kinds, and durations for them.
namespace random_graphs {

using oracle::dice;
using stagecut::schedule;
using stagecut::task_graph;
using stagecut::task_options;
using stagecut::transfer_kind;

/// A schedule, and for what its task graph is made.
struct subject {
  schedule order{};
  task_options options{};
};

/// Transfers of a round: of each kind, or none; with updates or without.
[[nodiscard]] inline task_options options_of(std::size_t round) {
  task_options result;
  result.with_transfers = round % 5 != 4;
  if (result.with_transfers) result.transfers = static_cast<transfer_kind>(round % 5);
  result.by_microbatch = true;
  result.all_reduce = round / 5 % 2 != 0;
  result.optimizer_step = round % 3 == 0;
  return result;
}

/// The schedule of a kind, of a small shape.
[[nodiscard]] inline schedule of_kind(dice& random, const stagecut::schedule_entry& entry) {
  stagecut::schedule_shape shape;
  shape.ranks = random.from(1, 5);
  shape.stages_per_rank = entry.stages_per_rank == 0 ? random.from(1, 3) : entry.stages_per_rank;
  shape.microbatches = shape.ranks * random.from(2, 3);
  if (entry.kind == stagecut::schedule_kind::sliced) shape.slices = random.from(1, 3);
  if (entry.kind == stagecut::schedule_kind::in_flight) shape.in_flight.assign(shape.ranks, random.from(1, 5));
  return stagecut::make_schedule(entry.kind, shape);
}

/// Calls `use(subject)`: every kind of schedule that a shape defines, with every kind of transfer, with and without
/// updates; then `more` random orders, of chains with slices and overlapping pairs, and of graphs of stages.
template <class Use>
void each_subject(std::uint32_t seed, std::size_t more, Use use) {
  dice random(seed);
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    if (entry.make == nullptr) continue;  // no shape tells it
    for (std::size_t round = 0; round < 10; ++round) use(subject{of_kind(random, entry), options_of(round)});
  }
  random_edges edges(seed);
  for (std::size_t round = 0; round < more; ++round) {
    use(subject{oracle::random_schedule(random, oracle::written_transfers::none, random.once_in(2)),
                options_of(round)});
    use(subject{edges.next(), options_of(round)});
  }
}

/// A table of random durations of everything: of passes by stage, slice or microbatch.
template <class T>
[[nodiscard]] std::vector<T> table_of(dice& random, const subject& of, const task_graph& graph) {
  auto times = oracle::random_times<T>(random, of.order);
  const auto update = [&](bool is, std::size_t count) {
    return is ? oracle::random_times_of<T>(random, count) : std::vector<T>{};
  };
  times.all_reduce = update(of.options.all_reduce, of.order.stages());
  times.optimizer_step = update(of.options.optimizer_step, of.order.ranks());
  stagecut::transfer_times<T> transfers{of.options.transfers, {}, {}};
  if (of.options.with_transfers) {
    const std::size_t messages = of.order.edges.empty() ? of.order.stages() - 1 : of.order.edges.size();
    transfers.forward = oracle::random_times_of<T>(random, random.once_in(3) ? 1 : messages);
    if (!random.once_in(8)) transfers.backward = oracle::random_times_of<T>(random, messages);
  }
  std::vector<T> table;
  graph.fill(times, transfers, table);
  return table;
}

/// What `task_graph::makespan` says of a table.
template <class T>
[[nodiscard]] T makespan_of(const task_graph& graph, const std::vector<T>& table) {
  std::vector<T> ends(graph.tasks().size() + 1);
  stagecut::longest_path<T>(graph.tasks(), graph.delays(), table, ends);
  T result{};
  for (const std::uint32_t task : graph.last_tasks()) result = result < ends[task] ? ends[task] : result;
  return result;
}

}  // namespace random_graphs
