// SPDX-License-Identifier: BSL-1.0
// Prints what must not depend on the compiler, its flags or the processor: what searches say that nothing but a number of
// nodes ends: cuts, and orders of passes. Times are rounded to ticks, and ranks have several stages.
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Random numbers from `least` to one more.
struct random_numbers {
  std::uint64_t state;

  std::vector<double> operator()(double least, std::size_t size) {
    std::vector<double> result;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      result.push_back(least + static_cast<double>(state >> 11U) * 0x1p-53);
    }
    return result;
  }
};

/// An order that is made for random times, within little memory.
std::string ordered(std::size_t round, std::uint64_t state) {
  random_numbers numbers{state};
  const std::size_t ranks = 2 + round % 3;
  const std::size_t chunks = 1 + round % 2;
  const std::size_t stages = ranks * chunks;
  stagecut::synthesis_request request;
  request.rank_of = chunks == 2 ? stagecut::v_placement(ranks) : stagecut::loop_placement(ranks, 1);
  request.microbatches = 5 + round;
  request.bytes.activations = numbers(1, stages);
  request.memory_limit = {(round % 3 == 0 ? 4.5 : 3.5) * static_cast<double>(chunks)};
  request.search = {.node_limit = 600};
  const stagecut::pass_times<double> times{
      numbers(1, stages), {}, numbers(1, stages), numbers(0.5, stages), {}, {}, {}};
  const auto kind = static_cast<stagecut::transfer_kind>(round % 4);
  const auto made = stagecut::synthesize_schedule(times, {kind, numbers(0, stages - 1), {}}, request);
  std::string text;
  for (const double each : {made->makespan, made->bound})
    text += std::to_string(std::bit_cast<std::uint64_t>(each)) + ' ';
  text += std::to_string(made->statistics.nodes);
  for (const auto& rank : made->schedule.orders) {
    text += ' ';
    for (const stagecut::op& op : rank) text += to_string(op);
  }
  return text;
}

std::string solved(std::size_t round, std::uint64_t state) {
  random_numbers numbers{state};
  const std::size_t ranks = 4 + round % 2;
  const std::size_t chunks = 2 + round % 3;
  const std::size_t items = 24 + round;
  const auto forward = numbers(1, items);
  const auto backward = numbers(1, items);
  const stagecut::with_speeds model(stagecut::item_times(forward, backward), numbers(0.75, chunks * ranks));
  stagecut::makespan_request request;
  request.schedule = stagecut::interleaved_one_forward_one_backward(ranks, chunks, 2 * ranks);
  request.search.time_limit.reset();
  request.search.node_limit = 3'000;
  const auto best = stagecut::minimize_makespan(model, request);
  std::string text;
  for (const double each : {best->value, best->bound})
    text += std::to_string(std::bit_cast<std::uint64_t>(each)) + ' ';
  for (const std::size_t each : {best->statistics.nodes, best->statistics.evaluations}) text += std::to_string(each) + ' ';
  for (const std::size_t point : best->cuts.points()) text += ' ' + std::to_string(point);
  return text + '\n' + ordered(round, state);
}

}  // namespace

int main() {
  for (std::size_t round = 0; round < 6; ++round) {
    std::string both[2];
    {
      const auto solve = [&](std::size_t which) { both[which] = solved(round, round + 1); };
      const std::jthread first(solve, 0);
      const std::jthread second(solve, 1);
    }
    std::puts(both[0].c_str());
    if (both[0] != both[1]) return std::puts("threads differ"), 1;
  }
}
