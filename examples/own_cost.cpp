// SPDX-License-Identifier: BSL-1.0
// A custom cost: a stage takes the time of its layers, and heavy layers share a buffer that is filled only once. Such
// costs are not sums; their declared property is that more layers never cost less.
//
// prints
//   nothing was promised that does not hold: 1
//   stage 0: layers 0 to 2, 7.0 s
//   stage 1: layers 3 to 4, 6.5 s
//   stage 2: layers 5 to 6, 6.5 s
//   no cut of 3 stages is below 7.0 s
#include <stagecut/stagecut.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <cstdio>
#include <vector>

struct shared_buffer {
  using axioms = stagecut::axioms<stagecut::monotone>;

  std::vector<double> seconds;  // per layer
  double to_fill;               // for a stage with any layer of 3 s or more

  std::size_t size() const { return seconds.size(); }

  double operator()(std::size_t first, std::size_t last) const {
    double sum = 0;
    bool heavy = false;
    for (std::size_t i = first; i < last; ++i) sum += seconds[i], heavy = heavy || seconds[i] >= 3;
    return heavy ? sum + to_fill : sum;
  }
};

int main() {
  const shared_buffer cost{{2, 1, 3, 1.5, 4, 3, 2.5}, 1};
  std::printf("nothing was promised that does not hold: %d\n", bool(stagecut::testing::check_axioms(cost)));

  const auto best = stagecut::minimize_bottleneck(cost, 3);
  for (std::size_t s = 0; s < best->cuts.stages(); ++s) {
    const auto [first, last] = best->cuts.stage(s);
    std::printf("stage %zu: layers %zu to %zu, %.1f s\n", s, first, last - 1, cost(first, last));
  }
  std::printf("no cut of 3 stages is below %.1f s\n", best->bound);
}
