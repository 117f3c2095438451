// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/prefix_sums.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/copied_arrays.hpp"

using stagecut::block_sums;
using stagecut::prefix_sums;

static_assert(std::is_constructible_v<block_sums<double>, const std::vector<double>&>);
static_assert(std::is_constructible_v<block_sums<double>, std::vector<double>&>);
static_assert(!std::is_constructible_v<block_sums<double>, std::vector<double>>);  // it would dangle
static_assert(std::is_constructible_v<block_sums<double>, std::span<const double>>);
static_assert(std::is_constructible_v<block_sums<double>, std::span<const double, 2>>);
static_assert(std::is_constructible_v<block_sums<double>, std::span<double>>);
static_assert(std::is_constructible_v<block_sums<double>, stagecut::view<const double>>);
static_assert(!std::is_constructible_v<block_sums<double>, std::array<double, 2>>);
static_assert(!std::is_constructible_v<block_sums<double>, const std::vector<double>>);

namespace {

template <class T>
std::vector<T> random_items(std::mt19937_64& random, std::size_t size) {
  std::vector<T> items(size);
  for (auto& item : items) item = static_cast<T>(random() % 4 == 0 ? 0 : static_cast<double>(random() % 1'000'003) / 7);
  return items;
}

}  // namespace

TEST_CASE_TEMPLATE("block sums and prefix sums are equal to the bit", T, double, float, std::int32_t, std::uint64_t) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {0U, 1U, 5U, 8U, 127U, 128U, 129U, 255U, 256U, 257U, 600U, 1024U, 2000U}) {
    const auto items = random_items<T>(random, size);
    const block_sums blocks(items);
    const prefix_sums prefixes(items);
    REQUIRE(blocks.size() == size);
    for (std::size_t i = 0; i <= size; ++i) REQUIRE(blocks.prefix(i) == prefixes.prefix(i));
  }
}

TEST_CASE_TEMPLATE("both find the same cut from any guess", T, double, std::int32_t) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t size = 1 + random() % 900;
    const auto items = random_items<T>(random, size);
    const block_sums blocks(items);
    const prefix_sums prefixes(items);
    const std::size_t last = random() % (size + 1);
    const std::size_t lowest = random() % (last + 1);
    const std::size_t highest = lowest + random() % (last - lowest + 1);
    const std::size_t likely = random() % (size + 1);
    const auto end = prefixes.prefix(last);
    const auto bound = prefixes(random() % (last + 1), last);
    std::size_t expected = lowest;
    while (expected < highest && !(end - prefixes.prefix(expected) <= bound)) ++expected;
    REQUIRE(prefixes.lower_cut(end, bound, lowest, highest, likely) == expected);
    REQUIRE(blocks.lower_cut(end, bound, lowest, highest, likely) == expected);
  }
}

TEST_CASE("bad items are refused where they stand") {
  std::vector<double> items(700, 1.0);
  items[600] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(block_sums{items}, "item 600: nan is NaN", stagecut::invalid_input);
  items[600] = -1;
  CHECK_THROWS_WITH_AS(block_sums{items}, "item 600: -1 is negative", stagecut::invalid_input);
  items[600] = -0.0;
  CHECK_NOTHROW(block_sums{items});
  const std::vector<double> large(300, 1e307);
  CHECK_THROWS_WITH_AS(block_sums{large}, doctest::Contains("overflows"), stagecut::invalid_input);
  const std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::max(), 1};
  CHECK_THROWS_WITH_AS(block_sums{integers}, "item 1: the sum of the items up to this one overflows",
                       stagecut::invalid_input);
}

TEST_CASE("both name the same item when a sum overflows") {
  std::mt19937_64 random(10);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> items(1 + random() % 600, 0.0);
    for (int i = 0; i < 12; ++i)
      items[random() % items.size()] = std::ldexp(1.0, 1019 + static_cast<int>(random() % 4));
    const auto message = [&](auto build) -> std::string {
      try {
        build();
      } catch (const stagecut::invalid_input& error) {
        return error.what();
      }
      return "";
    };
    const std::string blocks = message([&] { return block_sums(items).size(); });
    REQUIRE(blocks == message([&] { return prefix_sums(items).size(); }));
    if (!blocks.empty()) REQUIRE(items[std::stoul(blocks.substr(5))] > 0);
  }
}

TEST_CASE("a moved-from model holds no items") {
  const std::vector<double> items(1000, 1.0);
  block_sums<double> blocks(items);
  prefix_sums<double> prefixes(items);
  const auto other_blocks = std::move(blocks);
  const auto other_prefixes = std::move(prefixes);
  CHECK(other_blocks.size() == 1000);
  CHECK(other_prefixes(0, 1000) == 1000);
  CHECK(blocks.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(blocks(0, 0) == 0);
  CHECK(blocks.lower_cut(0, 0, 0, 0, 0) == 0);
  CHECK(prefixes.size() == 0);
  CHECK(prefixes(0, 0) == 0);
  CHECK(prefix_sums<double>()(0, 0) == 0);
  CHECK(block_sums<double>().prefix(0) == 0);
  prefixes.assign(items);
  CHECK(prefixes(0, 10) == 10);
}

TEST_CASE("bad items leave none") {
  const std::vector<double> good{1, 2};
  const std::vector<double> bad{1, -2};
  block_sums<double> blocks(good);
  CHECK_THROWS(blocks.assign(bad));
  CHECK(blocks.size() == 0);
  CHECK(blocks(0, 0) == 0);
}

TEST_CASE_TEMPLATE("placed blocks are the same costs to the bit", T, double, float, std::int64_t, std::uint8_t) {
  std::mt19937 random(6);
  for (const std::size_t items : {0U, 1U, 7U, 8U, 9U, 127U, 128U, 129U, 270U}) {
    auto numbers = std::make_unique<std::vector<T>>(items);
    for (T& number : *numbers) number = static_cast<T>(static_cast<double>(random() % 700) / 3);
    auto cost = std::make_unique<block_sums<T>>(*numbers);
    const prefix_sums expected(*numbers);
    copied_arrays memory;
    const auto placed = stagecut::detail::placed(*cost, memory);
    static_assert(std::is_trivially_copyable_v<decltype(placed)>);
    static_assert(stagecut::additive_cost<std::remove_const_t<decltype(placed)>>);
    cost.reset();
    numbers.reset();
    CHECK(placed.size() == items);
    for (std::size_t first = 0; first <= items; ++first) {
      CHECK(placed.prefix(first) == expected.prefix(first));
      for (std::size_t last = first; last <= items; last += 5) CHECK(placed(first, last) == expected(first, last));
    }
  }
}
