// SPDX-License-Identifier: BSL-1.0
// The smallest makespan of a custom pipeline model: the last device takes twice as long for matrix products only.
//
// prints
//   1f1b: 204.0 s, and no cut ends before 204.0 s
//   stage 0: layers 0 to 2
//   stage 1: layers 3 to 5
//   stage 2: layers 6 to 7
#include <stagecut/stagecut.hpp>

#include <cstdio>
#include <vector>

struct uneven_devices {
  std::vector<double> matrices, rest;  // seconds per layer, for one microbatch

  std::size_t size() const { return matrices.size(); }

  // For single layers: the time of a stage is the sum over its layers.
  double forward(std::size_t stage, std::size_t layer) const {
    return rest[layer] + (stage == 2 ? 2.0 : 1.0) * matrices[layer];
  }
  double backward(std::size_t stage, std::size_t layer) const { return 2 * forward(stage, layer); }
};

int main() {
  const uneven_devices model{{1, 2, 1, 2, 1, 2, 1, 2}, {1, 0, 1, 0, 1, 0, 1, 0}};
  stagecut::makespan_request request;
  request.schedule = stagecut::one_forward_one_backward(3, 8);
  const auto best = stagecut::minimize_makespan(model, request);
  if (!best) return std::puts(best.why().text().c_str()), 1;

  std::printf("%s: %.1f s, and no cut ends before %.1f s\n", request.schedule.name.c_str(), best->value, best->bound);
  std::size_t number = 0;
  for (const auto [first, last] : best->cuts) std::printf("stage %zu: layers %zu to %zu\n", number++, first, last - 1);
}
