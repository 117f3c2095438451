// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/seeded.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace engine = stagecut::engine;
using stagecut::engine::seeded;

TEST_CASE("the numbers of a seed are those that the standard demands") {
  engine::seeded usual(5489);  // of mt19937_64
  for (int i = 1; i < 10000; ++i) static_cast<void>(usual.any());
  CHECK(usual.any() == 9981545732273789042U);
  engine::seeded one(1);
  engine::seeded again(1);
  engine::seeded other(2);
  std::size_t equal = 0;
  for (int i = 0; i < 100; ++i) {
    const auto number = one.any();
    CHECK(again.any() == number);
    if (other.any() == number) ++equal;
  }
  CHECK(equal == 0);
}

TEST_CASE("numbers below another are evenly spread, and none is left out") {
  engine::seeded random(7);
  std::vector<std::size_t> met(5);
  for (int i = 0; i < 5000; ++i) ++met.at(random.below(5));
  CHECK(*std::min_element(met.begin(), met.end()) > 900);
  CHECK(*std::max_element(met.begin(), met.end()) < 1100);
  for (int i = 0; i < 10; ++i) CHECK(random.below(1) == 0);
  std::size_t high = 0;
  constexpr std::size_t most = std::size_t{1} << 32U;
  for (int i = 0; i < 100; ++i) {
    const std::size_t number = random.below(most);
    CHECK(number < most);
    if (number >= most / 2) ++high;
  }
  CHECK(high > 25);
  CHECK(high < 75);
}
