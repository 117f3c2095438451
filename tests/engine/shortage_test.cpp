// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <stagecut/engine/shortage.hpp>

#include <doctest/doctest.h>

using stagecut::engine::byte_bracket;
using stagecut::engine::floor_bytes;
using stagecut::engine::least_fullest;
using stagecut::engine::least_that_fits;
using stagecut::engine::whole_bytes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_bytes = std::size_t{1} << 63U;

/// The least of all cuts by trying each, from stage s on.
double fullest_of(const std::vector<std::vector<std::vector<double>>>& held, std::size_t s, std::size_t first) {
  const std::size_t n = held[0].size();
  if (s == held.size()) return first == n ? 0 : infinity;
  double least = infinity;
  for (std::size_t last = first + 1; last <= n; ++last) {
    const double behind = fullest_of(held, s + 1, last);
    const double here = held[s][first][last] < behind ? behind : held[s][first][last];
    least = here < least ? here : least;
  }
  return least;
}

}  // namespace

TEST_CASE("bytes as whole numbers") {
  CHECK(whole_bytes(0) == 0);
  CHECK(floor_bytes(0) == 0);
  CHECK(whole_bytes(7) == 7);
  CHECK(floor_bytes(7) == 7);
  CHECK(whole_bytes(7.25) == 8);
  CHECK(floor_bytes(7.25) == 7);
  CHECK(whole_bytes(0x1p62) == std::size_t{1} << 62U);
  for (const double each : {0x1p63, 1e30, infinity}) {
    CHECK(whole_bytes(each) == most_bytes);
    CHECK(floor_bytes(each) == most_bytes);
  }
}

TEST_CASE("the least whole number of bytes that fits is found by bisection") {
  for (std::size_t least = 1; least < 200; ++least) {
    const auto fits = [least](double bytes) -> std::optional<bool> { return bytes >= static_cast<double>(least); };
    for (std::size_t low = 0; low < least; ++low) {
      const byte_bracket found = least_that_fits(fits, static_cast<double>(low) + 0.5);
      REQUIRE(found.fits);
      REQUIRE(found.known);
      REQUIRE(found.high == static_cast<double>(least));
      REQUIRE(found.low == static_cast<double>(least) - 1);
    }
  }
}

TEST_CASE("a bisection ends at the gap that was asked for, and where it is told no more") {
  std::size_t asked = 0;
  const auto fits = [&asked](double bytes) -> std::optional<bool> { return ++asked, bytes >= 1000; };
  const byte_bracket rough = least_that_fits(fits, 100, 200, [](double low) { return 0.25 * low; });
  CHECK(rough.low < 1000);
  CHECK(rough.high >= 1000);
  CHECK(rough.high - rough.low <= 0.25 * rough.low);
  CHECK(asked == 6);  // 200, 400, 800, 1600, 1200, 1000: low is 800, and a quarter of it 200

  asked = 0;
  const auto one = [](double) { return 1.0; };
  const byte_bracket none = least_that_fits(fits, 1, 2, one, 3);
  CHECK_FALSE(none.fits);
  CHECK(none.known);
  CHECK(none.low == 8);
  CHECK(none.high == 16);  // does not fit either
  CHECK(asked == 4);

  const auto tires = [](double bytes) {
    return bytes > 700 && bytes < 900 ? std::nullopt : std::optional(bytes >= 800);
  };
  const byte_bracket stopped = least_that_fits(tires, 100, 200, one);
  CHECK_FALSE(stopped.known);
  CHECK_FALSE(stopped.fits);  // 800 itself was too much to try
  CHECK(stopped.low == 400);
  const byte_bracket between = least_that_fits(tires, 100, 1000, one);
  CHECK(between.fits);
  CHECK_FALSE(between.known);
  CHECK(between.low == 550);
  CHECK(between.high == 1000);

  const auto huge = [](double bytes) -> std::optional<bool> { return bytes >= 0x1p60; };
  const byte_bracket coarse = least_that_fits(huge, 0x1p59);
  CHECK(coarse.fits);
  CHECK_FALSE(coarse.known);  // beyond 2^53 there is no double between
  CHECK(coarse.high == 0x1p60);
}

TEST_CASE("the least that the fullest stage holds is that of all cuts") {
  std::mt19937 dice(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + dice() % 7;
    const std::size_t stages = 1 + dice() % 4;
    std::vector<std::vector<std::vector<double>>> held(stages,
                                                       std::vector<std::vector<double>>(n, std::vector<double>(n + 1)));
    for (auto& of : held) {
      for (auto& row : of) {
        for (double& each : row) each = dice() % 4 == 0 ? infinity : static_cast<double>(dice() % 20);
      }
    }
    const auto ask = [&](std::size_t s, std::size_t first, std::size_t last) { return held[s][first][last]; };
    CHECK(least_fullest(n, stages, ask) == fullest_of(held, 0, 0));
  }
}
