// SPDX-License-Identifier: BSL-1.0
#include <stagecut/stagecut.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "../allocations.hpp"

TEST_CASE("a repeated solve allocates nothing: sums, blocks, opaque costs, new items") {
  std::mt19937_64 random(1);
  std::vector<double> items(5000);
  stagecut::prefix_sums<double> sums;
  stagecut::block_sums<double> blocks;
  stagecut::bottleneck_workspace<double> workspace;
  std::size_t first_round = 0;
  for (int round = 0; round < 20; ++round) {
    for (auto& item : items) item = static_cast<double>(random() % 1000);
    const std::size_t before = allocations;
    sums.assign(items);
    blocks.assign(items);
    const auto opaque = stagecut::monotone(items.size(), [&](std::size_t i, std::size_t j) { return sums(i, j); });
    for (const std::size_t stages : {64U, 3U, 17U}) {
      REQUIRE(!stagecut::minimize_bottleneck(stagecut::monotone(2, [](std::size_t, std::size_t) { return 0.0; }), 3,
                                             workspace));
      const double cost = stagecut::minimize_bottleneck(sums, stages, workspace)->value;
      REQUIRE(stagecut::minimize_bottleneck(blocks, stages, workspace)->value == cost);
      REQUIRE(stagecut::minimize_bottleneck(opaque, stages, workspace)->value == cost);
    }
    if (round == 0) {
      first_round = allocations - before;
    } else {
      CHECK(allocations == before);
    }
  }
  CHECK(first_round > 0);  // the counter counts
}
