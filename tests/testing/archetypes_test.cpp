// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <type_traits>

static_assert(!std::is_default_constructible_v<stagecut::testing::ordered_archetype>);

TEST_CASE("the least a model can be is enough") {
  const auto best = stagecut::minimize_bottleneck(stagecut::testing::monotone_archetype(7), 3);
  CHECK(best->cuts == stagecut::cuts{0, 1, 4, 7});
  CHECK(best->cost == stagecut::testing::ordered_archetype(3));
}

TEST_CASE("the least a sum can be is enough") {
  const auto best = stagecut::minimize_bottleneck(stagecut::testing::additive_archetype(5), 2);  // items 1 3 5 7 9
  CHECK(best->cuts == stagecut::cuts{0, 3, 5});
  CHECK(best->cost == 16);
}
