// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/chain_partition.hpp>

#include <doctest/doctest.h>

TEST_CASE("a chain partition compares by cuts, cost and bound") {
  const stagecut::chain_partition<int> a{{5, 4}, {0, 1, 3}};
  auto b = a;
  CHECK(a == b);
  b.bound = 5;
  CHECK(a != b);
}
