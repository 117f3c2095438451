// SPDX-License-Identifier: BSL-1.0
// Prints what must not depend on the compiler, its flags or the processor: what searches say that nothing but a number of
// nodes ends. Their times are rounded to ticks, and ranks have several stages.
#include <stagecut/stagecut.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string solved(std::size_t round, std::uint64_t state) {
  const auto numbers = [&](double least, std::size_t size) {
    std::vector<double> result;
    for (std::size_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      result.push_back(least + static_cast<double>(state >> 11U) * 0x1p-53);
    }
    return result;
  };
  const std::size_t ranks = 4 + round % 2;
  const std::size_t chunks = 2 + round % 3;
  const std::size_t items = 24 + round;
  const auto forward = numbers(1, items);
  const auto backward = numbers(1, items);
  const stagecut::with_speeds model(stagecut::item_times(forward, backward), numbers(0.75, chunks * ranks));
  stagecut::makespan_request request;
  request.order = stagecut::interleaved_one_forward_one_backward(ranks, chunks, 2 * ranks);
  request.limits.time_limit.reset();
  request.limits.node_limit = 3'000;
  const auto best = stagecut::minimize_makespan(model, request);
  std::string text;
  for (const double each : {best->makespan, best->bound})
    text += std::to_string(std::bit_cast<std::uint64_t>(each)) + ' ';
  for (const std::size_t each : {best->nodes, best->simulations}) text += std::to_string(each) + ' ';
  for (const std::size_t point : best->cuts.points()) text += ' ' + std::to_string(point);
  return text;
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
