// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/tempering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include <stagecut/core/detail/random_bits.hpp>

namespace engine = stagecut::engine;
using stagecut::engine::minus_logarithms;

TEST_CASE("logarithms are those of the library, and descend") {
  constexpr std::size_t parts = minus_logarithms.size();
  static_assert(parts == 1024);
  double sum = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    CAPTURE(i);
    const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(parts);
    CHECK(std::abs(minus_logarithms[i] + std::log(u)) <= 1e-12);
    CHECK(minus_logarithms[i] > 0);
    if (i > 0) CHECK(minus_logarithms[i] < minus_logarithms[i - 1]);
    sum += minus_logarithms[i];
  }
  CHECK(std::abs(sum / static_cast<double>(parts) - 1) < 1e-3);  // the mean of -ln(u)
}

TEST_CASE("what a move may get worse by is spread as the rule of Metropolis wants it") {
  constexpr int draws = 20'000;
  stagecut::detail::random_bits bits(1, 2, 3);
  int above = 0;
  for (int i = 0; i < draws; ++i) above += engine::metropolis(bits) >= 0.5 ? 1 : 0;
  CHECK(std::abs(above - std::exp(-0.5) * draws) < 300);
}

TEST_CASE("a warmer chain that is better always becomes colder, a worse one if it is near") {
  CHECK(engine::exchange(10, 9, 1, 2, 0.001));
  CHECK(engine::exchange(10, 10, 1, 2, 0.001));
  CHECK(engine::exchange(10, 10.5, 1, 2, 0.25));
  CHECK_FALSE(engine::exchange(10, 10.5, 1, 2, 0.24));
}

TEST_CASE("chains pay one of four prices, in turns of four") {
  const double prices[] = {0.25, 0.5, 1, 2};
  for (std::size_t c = 0; c < 64; ++c) CHECK(engine::excess_price(c) == prices[c / 4 % 4]);
}
