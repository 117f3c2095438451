// SPDX-License-Identifier: BSL-1.0
// Simulates many cuts of a chain and keeps the best by a custom measure. The same source is compiled for a host, where
// thrust::device is the processors, and as search.cu for a GPU.
// prints
//   436 at best; 106 cuts are left of 50388
//    441.2: 0 3 5 8 11 14 16 18 20
//    443.2: 0 2 4 6 9 12 15 17 20
//    444.2: 0 2 5 8 11 14 16 18 20
#include <stagecut/search/best_n.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/paths_below.hpp>
#include <stagecut/search/weighted_sum.hpp>
#include <stagecut/stagecut.hpp>

#include <thrust/execution_policy.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace search = stagecut::search;

// A custom cost: a named type that can be copied to a device. The imbalance of the stages, in layers.
struct unevenness {
  STAGECUT_HOST_DEVICE double operator()(search::candidate points) const {
    double sum = 0;
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      const double layers = points[s + 1] - points[s];
      sum += layers * layers;
    }
    return sum;
  }
};

int main() try {
  const stagecut::item_times layers({4, 1, 2, 6, 2, 3, 5, 1, 2, 4, 3, 3, 1, 5, 2, 4, 6, 1, 3, 2},
                                    {7, 3, 4, 9, 5, 7, 9, 2, 5, 8, 6, 7, 2, 9, 5, 8, 11, 3, 6, 4});
  const auto order = stagecut::make_schedule("interleaved", {.ranks = 4, .stages_per_rank = 2, .microbatches = 8});
  const auto optimal = stagecut::minimize_makespan(layers, {.schedule = order});

  // Every cut that is at most 3 % slower than the best one: the paths of a graph that bounds have thinned out.
  const auto near_best = search::paths_below(layers, {.schedule = order}, 1.03 * optimal->value);
  const search::cut_makespan makespan(layers, order);
  std::printf("%.0f at best; %d cuts are left of %d\n", optimal->value, static_cast<int>(near_best->size()),
              static_cast<int>(search::all_cuts(20, 8).size()));

  const search::weighted_sum both(1, makespan, 0.1, unevenness{});
  const auto few = search::best_n(thrust::device, *near_best, both, 3);
  for (const auto& each : few->all) {
    std::printf("%6.1f:", each.score.value);
    for (const auto point : each.points) std::printf(" %u", point);
    std::printf("\n");
  }
} catch (const std::exception& error) {
  std::puts(error.what());
  return 1;
}
