// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/best.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/stage_objective.hpp>
#include <stagecut/stagecut.hpp>

#include <thrust/execution_policy.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> items{3, 1, 4, 1, 5, 9, 2, 6};
  const auto cuts = stagecut::search::all_cuts(items.size(), 3);
  const auto best =
      stagecut::search::best(thrust::device, cuts, stagecut::search::stage_objective(stagecut::prefix_sums(items)));
  std::printf("device system %d: %.0f at cut %d\n", THRUST_DEVICE_SYSTEM, best->score.value,
              static_cast<int>(best->score.index));
}
