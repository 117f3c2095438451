// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/rank_stages.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../makespan/random_chains.hpp"

TEST_CASE("every stage has those of its rank") {
  oracle::dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {12, 5, 8});
    const stagecut::engine::rank_stages ranks(order);
    for (std::size_t s = 0; s < order.stages(); ++s) {
      std::vector<std::size_t> expected;
      for (std::size_t other = 0; other < order.stages(); ++other) {
        if (order.rank_of[other] == order.rank_of[s]) expected.push_back(other);
      }
      const auto all = ranks.seen()(s);
      CHECK(std::vector<std::size_t>(all.begin(), all.end()) == expected);
    }
  }
}
