// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/recomputed_parts.hpp>

#include <doctest/doctest.h>

#include <random>

TEST_CASE("what is computed again is never less than nothing, however sums are rounded") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> bytes(0, 10);
  for (int i = 0; i < 1000; ++i) {
    stagecut::detail::recomputed_parts parts;
    const double workspace = bytes(random), recomputed = bytes(random) / 3;
    parts.add(workspace, recomputed);
    stagecut::planned_memory of_one;
    parts.write_to(of_one);
    CHECK(of_one.workspace == workspace);
    CHECK(of_one.recomputed == doctest::Approx(recomputed).epsilon(1e-12));
    CHECK(of_one.recomputed_apart >= 0);
    CHECK(of_one.recomputed_apart <= 1e-12);
    parts.add(0, 4);
    stagecut::planned_memory of_two;
    parts.write_to(of_two);
    CHECK(of_two.recomputed + of_two.recomputed_apart == doctest::Approx(recomputed + 4).epsilon(1e-12));
  }
}
