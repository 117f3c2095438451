// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

TEST_CASE("calls are counted, and only additivity is hidden") {
  stagecut::testing::counted cost(stagecut::prefix_sums{1, 2, 3});
  static_assert(stagecut::monotone_cost<decltype(cost)>);
  static_assert(!stagecut::additive_cost<decltype(cost)>);
  static_assert(stagecut::promises<decltype(cost), stagecut::monge>);
  CHECK(cost.size() == 3);
  CHECK(cost(0, 2) == 3);
  CHECK(cost(1, 3) == 5);
  CHECK(cost.calls() == 2);
  cost.reset();
  CHECK(cost.calls() == 0);
}
