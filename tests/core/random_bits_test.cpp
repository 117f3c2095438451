// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/random_bits.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

using stagecut::detail::random_bits;

TEST_CASE("equal counters, equal numbers; another counter, other ones") {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (std::uint64_t chain = 0; chain < 16; ++chain) {
      for (std::uint64_t step = 0; step < 16; ++step) {
        random_bits one(seed, chain, step);
        random_bits two(seed, chain, step);
        for (int i = 0; i < 8; ++i, ++drawn) {
          const std::uint64_t number = one();
          CHECK(number == two());
          seen.insert(number);
        }
      }
    }
  }
  CHECK(seen.size() == drawn);  // no two of them, of 2^64
}

TEST_CASE("one number is splitmix64's") {
  // The reference with state 0 gives 0xE220A8397B1DCDAF first; three zero counters leave state 0.
  random_bits random(0, 0, 0);
  CHECK(random() == 0xE220A8397B1DCDAFU);
  CHECK(random() == 0x6E789E6AA1B965F4U);
  CHECK(random() == 0x06C45D188009454FU);
}

TEST_CASE("numbers below an end are even, along a chain and across chains and steps") {
  for (const std::size_t end : std::vector<std::size_t>{1, 2, 3, 5, 7, 16, 100}) {
    CAPTURE(end);
    constexpr std::size_t draws = 20'000;
    std::vector<std::size_t> counts[3] = {std::vector<std::size_t>(end), std::vector<std::size_t>(end),
                                          std::vector<std::size_t>(end)};
    random_bits along(1, 2, 3);
    for (std::size_t i = 0; i < draws; ++i) {
      const std::size_t numbers[3] = {along.below(end), random_bits(1, i, 3).below(end),
                                      random_bits(1, 2, i).below(end)};
      for (int way = 0; way < 3; ++way) {
        REQUIRE(numbers[way] < end);
        ++counts[way][numbers[way]];
      }
    }
    const double mean = static_cast<double>(draws) / static_cast<double>(end);
    for (const auto& way : counts) {
      for (const std::size_t each : way) CHECK(std::abs(static_cast<double>(each) - mean) <= 4.5 * std::sqrt(mean));
    }
  }
  random_bits large(1, 2, 3);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t number = large.below(std::size_t{1} << 32U);
    CHECK(number < std::size_t{1} << 32U);
    most = number > most ? number : most;
  }
  CHECK(most > std::size_t{3} << 30U);
}

TEST_CASE("a seed alone is splitmix64's state") {
  random_bits random(0);
  CHECK(random() == 0xE220A8397B1DCDAFU);
  CHECK(random.remainder(1000) == 0x6E789E6AA1B965F4U % 1000);
}
