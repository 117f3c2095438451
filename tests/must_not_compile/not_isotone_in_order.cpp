// SPDX-License-Identifier: BSL-1.0
// The bottleneck before the total: a dynamic program would miss the best cuts.
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_objective.hpp>

int main() {
  const stagecut::prefix_sums cost{1, 2, 3};
  (void)stagecut::minimize_objective(cost, 2, stagecut::in_order{stagecut::bottleneck(), stagecut::total_cost()});
}
