// SPDX-License-Identifier: BSL-1.0
// An objective for which a dynamic program would miss the best cuts.
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_objective.hpp>

int main() { (void)stagecut::minimize_objective(stagecut::prefix_sums{1, 2, 3}, 2, stagecut::cost_range()); }
