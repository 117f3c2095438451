// SPDX-License-Identifier: BSL-1.0
// A constraint that may differ by stage, where their number is not known.
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/fewest_stages.hpp>

int main() {
  const auto last_is_short = [](std::size_t stage, std::size_t first, std::size_t last) {
    return stage != 1 || last - first == 1;
  };
  return stagecut::fewest_stages(stagecut::prefix_sums{1, 2, 3}, 3, last_is_short) ? 0 : 1;
}
