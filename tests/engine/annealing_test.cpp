// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/annealing.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <stagecut/engine/seeded.hpp>

using stagecut::engine::annealing;
using stagecut::engine::seeded;

TEST_CASE("what a move may be worse by is spread as the rule of Metropolis wants it") {
  constexpr int draws = 20'000;
  seeded random(1);
  const annealing heat(3, 10);
  int above = 0;
  for (int i = 0; i < draws; ++i) above += heat.limit(random) >= 1.5 ? 1 : 0;
  CHECK(std::abs(above - std::exp(-0.5) * draws) < 300);
}

TEST_CASE("a temperature falls to a fiftieth") {
  annealing heat(5, 40);
  for (int i = 0; i < 40; ++i) heat.cool();
  seeded one(7);
  seeded again(7);
  CHECK(heat.limit(one) == doctest::Approx(annealing(0.1, 1).limit(again)));
}
