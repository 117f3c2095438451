// SPDX-License-Identifier: BSL-1.0
// Prints what must not depend on the compiler or its flags: a hash of the bits of all times that simulations of random
// durations say, one line for each schedule. Not of the critical path: of two that are equally long either will do.
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

std::uint64_t state = 1;

std::uint64_t next() {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 11U;
}
std::size_t from(std::size_t least, std::size_t most) {
  return least + static_cast<std::size_t>(next() >> 20U) % (most - least + 1);
}

/// All 53 bits, of three magnitudes; one in eight is 0.
std::vector<double> random_times(std::size_t count) {
  std::vector<double> result(count);
  for (double& each : result) {
    const auto digits = static_cast<double>(next());
    const std::uint64_t size = next() >> 20U;
    each = size % 8 == 0 ? 0 : digits * (size % 8 == 1 ? 0x1p-70 : size % 8 == 2 ? 0x1p-47 : 0x1p-53);
  }
  return result;
}

std::uint64_t hash = 0;

void add(double x) { hash = hash * 1099511628211U ^ std::bit_cast<std::uint64_t>(x); }

void add(const std::vector<stagecut::timed_op<double>>& ops) {
  for (const auto& op : ops) {
    add(op.start);
    add(op.end);
  }
}

void add(const stagecut::simulation<double>& run) {
  add(run.makespan);
  add(run.span);
  for (const auto& rank : run.ranks) {
    for (const double each : {rank.busy, rank.blocked, rank.idle, rank.first, rank.last}) add(each);
  }
  for (const auto* lists : {&run.ops, &run.transfers, &run.updates}) {
    for (const auto& list : *lists) add(list);
  }
}

}  // namespace

int main() {
  using stagecut::transfer_kind;
  for (const stagecut::schedule_entry& entry : stagecut::schedules) {
    if (entry.make == nullptr) continue;
    hash = 0;
    for (int round = 0; round < 300; ++round) {
      stagecut::schedule_shape shape;
      shape.ranks = from(1, 6);
      shape.stages_per_rank = entry.stages_per_rank == 0 ? from(1, 3) : entry.stages_per_rank;
      shape.microbatches = shape.ranks * from(2, 4);
      if (entry.kind == stagecut::schedule_kind::sliced) shape.slices = from(1, 3);
      if (entry.kind == stagecut::schedule_kind::in_flight) shape.in_flight.assign(shape.ranks, from(1, 5));
      const stagecut::schedule order = stagecut::make_schedule(entry.kind, shape);
      const std::size_t stages = order.stages();
      const std::size_t each = from(0, 1) == 0 ? stages : stages * order.slices * order.microbatches;
      stagecut::pass_times<double> times;
      times.forward = random_times(each);
      times.backward_input = random_times(each);
      times.backward_weight = random_times(each);
      if (from(0, 1) == 0) times.backward = random_times(each);
      if (from(0, 1) == 0) times.overlapped = random_times(stages);
      if (from(0, 1) == 0) times.all_reduce = random_times(stages);
      if (from(0, 1) == 0) times.optimizer_step = random_times(order.ranks());
      stagecut::transfer_times<double> transfers;
      transfers.kind = static_cast<transfer_kind>(round % 4);
      transfers.forward = random_times(stages - 1);
      transfers.backward = random_times(1);
      add(stagecut::simulate(order, times, transfers));
    }
    std::printf("%016llx %s\n", static_cast<unsigned long long>(hash), entry.name);
  }
}
