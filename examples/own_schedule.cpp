// SPDX-License-Identifier: BSL-1.0
// A custom schedule, drawn above 1F1B: two forward passes, then their backward passes. Fewer microbatches are in flight.
//
// prints
//   FFFF..............BBBB.BBBBFFFF..............BBBB.BBBB  2 in flight
//   ..FFFFFF.....BBBBBBBBBB......FFFFFF.....BBBBBBBBBB....  2 in flight
//   .....FF.FFBBBBBB................FF.FFBBBBBB...........  2 in flight
//   FFFFFF.........BBBBFF..BBBB....BBBB.BBBB  3 in flight
//   ..FFFFFF..BBBBBFFFBBBBBFFFBBBBBBBBBB....  2 in flight
//   .....FFBBBFFBBB...FFBBB...FFBBB.........  1 in flight
#include <stagecut/stagecut.hpp>

#include <cstdio>
#include <string>

stagecut::schedule two_by_two(std::size_t ranks, std::size_t microbatches) {  // an even number of them
  constexpr auto F = stagecut::op_kind::forward, B = stagecut::op_kind::backward;
  stagecut::schedule result{.microbatches = microbatches, .rank_of = stagecut::loop_placement(ranks, 1)};
  for (std::size_t s = 0; s < ranks; ++s) {  // stage s is on rank s
    auto& order = result.orders.emplace_back();
    for (std::size_t k = 0; k < microbatches; k += 2) {
      order.insert(order.end(), {{F, s, k}, {F, s, k + 1}, {B, s, k}, {B, s, k + 1}});
    }
  }
  return result;
}

int main() {
  const stagecut::pass_times<std::size_t> times{.forward = {2, 3, 2}, .backward = {4, 5, 3}};  // of each stage
  for (const auto& order : {two_by_two(3, 4), stagecut::one_forward_one_backward(3, 4)}) {
    stagecut::check_schedule(order);                    // throws if a pass is missing or on a wrong rank
    const auto run = stagecut::simulate(order, times);  // throws if ranks wait for each other in a cycle
    const auto memory = stagecut::memory_curve(order, run);
    for (std::size_t rank = 0; rank < order.ranks(); ++rank) {
      std::string row(run.makespan, '.');
      for (const auto& [what, t, end] : run.ops[rank]) row.replace(t, end - t, end - t, to_string(what.kind)[0]);
      std::printf("%s  %g in flight\n", row.c_str(), memory[rank].peak_activations);
    }
  }
}
