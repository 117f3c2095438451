// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/tick_scale.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>

using stagecut::engine::tick_scale;

TEST_CASE("whole numbers stay what they are, and fractions are rounded as is said") {
  const tick_scale units;
  CHECK(units.nearest(7) == 7);
  CHECK(units.nearest(2.5) == 2);
  CHECK(units.nearest(3.5) == 4);
  CHECK(units.up(2.25) == 3);
  CHECK(units.down(2.75) == 2);
  CHECK(units.figure(12) == 12.0);
  CHECK(tick_scale(0).nearest(3) == 3);
}

TEST_CASE("the sum is below 2^digits ticks, and half of that or more") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(0.5, 1);
  for (int i = 0; i < 20000; ++i) {
    const auto power = static_cast<int>(random() % 1800) - 900;
    const double sum = std::ldexp(mantissa(random), power);
    const int digits = i % 2 == 0 ? 60 : 50;
    const tick_scale scale(sum, digits);
    const auto ticks = static_cast<double>(scale.down(sum));
    CHECK(ticks < std::ldexp(1.0, digits));
    CHECK(ticks >= std::ldexp(1.0, digits - 1));
    CHECK(scale.figure(scale.nearest(sum)) == doctest::Approx(sum).epsilon(1e-14));
  }
}

TEST_CASE("a figure lies between what is rounded down and up, a tick apart at most") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const double sum = std::ldexp(part(random) + 0.01, static_cast<int>(random() % 60) - 30);
    const tick_scale scale(sum, 30);
    const double figure = sum * part(random);
    CHECK(scale.figure(scale.down(figure)) <= figure);
    CHECK(scale.figure(scale.up(figure)) >= figure);
    CHECK(scale.up(figure) - scale.down(figure) <= 1);
    CHECK(scale.nearest(figure) >= scale.down(figure));
    CHECK(scale.nearest(figure) <= scale.up(figure));
  }
}

TEST_CASE("what is beyond 2^62 ticks is as much as is asked for") {
  const tick_scale scale(1.0);
  CHECK(scale.down(1e9) == std::int64_t{1} << 62U);
  CHECK(scale.down(1e9, 5) == 5);
}
