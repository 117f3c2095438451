// SPDX-License-Identifier: BSL-1.0
// Custom options of a stage: on one device or two, and whether it keeps its activations or recomputes them.
//
// prints
//   layers 0 to 2: 2 devices, option 1
//   layers 3 to 5: 2 devices, option 0
//   115.50 s, and no plan ends before 115.50 s
#include <stagecut/joint/minimize_hybrid.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

struct measured_layers {
  std::vector<double> seconds, kept;  // of a forward pass; bytes for its backward pass
  std::size_t size() const { return seconds.size(); }
  template <class Visit>
  void each_option(const stagecut::stage_query& stage, const Visit& visit) const {
    const auto sum = [&](const auto& of) { return std::accumulate(&of[stage.first], &of[stage.last - 1] + 1, 0.0); };
    for (const double devices : {1, 2}) {
      stagecut::stage_option option{.tensor_parallel = devices == 2 ? 2U : 1U, .message = stage.first == 0 ? 0 : 0.5};
      option.forward = sum(seconds) / devices + (devices - 1) / 4;  // two devices exchange results
      option.resident = static_cast<double>(stage.last - stage.first) / devices;
      for (option.choice = 0; option.choice < 2; ++option.choice) {  // 1: recomputes, and keeps its input alone
        option.backward = (option.choice == 1 ? 3 : 2) * option.forward;
        option.activations = option.choice == 1 ? 1 : sum(kept) / devices;
        visit(option);
      }
    }
  }
};

int main() {
  const measured_layers model{{1, 3, 2, 2, 4, 1}, {2, 5, 3, 3, 4, 1}};
  const auto best = stagecut::minimize_hybrid(model, {.devices = 4, .microbatches = 8, .memory_limit = 10});
  if (!best) return std::puts(best.why().text().c_str()), 1;
  for (const auto& [first, last, device, how] : best->stages)
    std::printf("layers %zu to %zu: %zu devices, option %zu\n", first, last - 1, how.devices(), how.choice);
  std::printf("%.2f s, and no plan ends before %.2f s\n", best->value, best->bound);
}
