// SPDX-License-Identifier: BSL-1.0
// Prints what must not depend on the compiler or its flags: the bits of prefix sums, and cuts with their cost.
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> items(4999);
  std::uint64_t state = 1;
  for (double& item : items) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    item = static_cast<double>(state >> 11U) * (state % 5 == 0 ? 0x1p-30 : 0x1p-53);
  }
  const stagecut::prefix_sums prefixes(items);
  const stagecut::block_sums blocks(items);
  std::uint64_t hash = 0;
  std::uint64_t block_hash = 0;
  for (std::size_t i = 0; i <= items.size(); ++i) {
    hash = hash * 1099511628211U ^ std::bit_cast<std::uint64_t>(prefixes.prefix(i));
    block_hash = block_hash * 1099511628211U ^ std::bit_cast<std::uint64_t>(blocks.prefix(i));
  }
  std::printf("%016llx %016llx\n", static_cast<unsigned long long>(hash), static_cast<unsigned long long>(block_hash));
  for (const std::size_t stages : {2U, 7U, 64U, 500U}) {
    const auto best = stagecut::minimize_bottleneck(prefixes, stages);
    const bool same = stagecut::minimize_bottleneck(blocks, stages)->cuts == best->cuts;
    std::printf("%016llx %d", static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(best->value)), same ? 1 : 0);
    for (const std::size_t cut : best->cuts.points()) std::printf(" %zu", cut);
    std::printf("\n");
  }
}
