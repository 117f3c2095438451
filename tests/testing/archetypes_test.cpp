// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <type_traits>

static_assert(!std::is_default_constructible_v<stagecut::testing::ordered_archetype>);

TEST_CASE("the least a model can be is enough") {
  const auto best = stagecut::minimize_bottleneck(stagecut::testing::monotone_archetype(7), 3);
  CHECK(best->cuts == stagecut::cuts{0, 1, 4, 7});
  CHECK(best->value == stagecut::testing::ordered_archetype(3));
}

TEST_CASE("the least a sum can be is enough") {
  const auto best = stagecut::minimize_bottleneck(stagecut::testing::additive_archetype(5), 2);  // items 1 3 5 7 9
  CHECK(best->cuts == stagecut::cuts{0, 3, 5});
  CHECK(best->value == 16);
}

TEST_CASE("what grows to one side only keeps its promise, and not the other") {
  const stagecut::testing::right_monotone_archetype right(7);
  CHECK(stagecut::testing::check_axioms(right));
  CHECK(right(0, 3) < right(1, 3));
  const stagecut::testing::left_monotone_archetype left(7);
  CHECK(stagecut::testing::check_axioms(left));
  CHECK(left(0, 4) < left(0, 3));
}

TEST_CASE("costs of different stages keep their promises") {
  const stagecut::testing::separable_archetype separable(7);
  static_assert(stagecut::separable_cost<stagecut::testing::separable_archetype>);
  CHECK(stagecut::testing::check_axioms(separable, 3));
  CHECK(separable(0, 0, 2) < separable(0, 0, 1));
  CHECK(separable(0, 0, 2) < separable(0, 1, 2));
  CHECK(separable(0, 0, 2) < separable(1, 0, 2));
  using staged = stagecut::testing::staged_archetype<stagecut::axioms<stagecut::monotone>>;
  static_assert(stagecut::staged_cost<staged> && stagecut::promises<staged, stagecut::monotone>);
  static_assert(!stagecut::promises<stagecut::testing::staged_archetype<>, stagecut::right_monotone>);
  CHECK(stagecut::testing::check_axioms(staged(7), 3));
  CHECK(staged(7)(0, 1, 3) < staged(7)(1, 1, 3));
}
