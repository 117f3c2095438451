// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "../core/copied_arrays.hpp"

using stagecut::prefix_sums;

static_assert(std::is_same_v<decltype(prefix_sums(std::vector<float>())), prefix_sums<double>>);
static_assert(std::is_same_v<decltype(prefix_sums(std::vector<int>())), prefix_sums<std::int64_t>>);
static_assert(std::is_same_v<decltype(prefix_sums(std::span<const unsigned>())), prefix_sums<std::uint64_t>>);
static_assert(std::is_same_v<decltype(prefix_sums{1.0, 2.0}), prefix_sums<double>>);
static_assert(!std::is_constructible_v<prefix_sums<double>, std::vector<int>>);

TEST_CASE("a cost is the sum of its items") {
  const prefix_sums cost{3, 1, 4, 1, 5};
  CHECK(cost.size() == 5);
  CHECK(cost(0, 5) == 14);
  CHECK(cost(1, 3) == 5);
  CHECK(cost(2, 2) == 0);
  CHECK(cost.prefix(2) == 4);
  const prefix_sums halves(std::array{0.5F, 0.25F});
  CHECK(halves(0, 2) == 0.75);
}

TEST_CASE("sums below eight items are those from left to right, but for the pairing of the last two") {
  const prefix_sums cost{0.1, 0.2, 0.3, 0.4};
  CHECK(cost.prefix(3) == (0.1 + 0.2) + 0.3);
  CHECK(cost.prefix(4) == (0.1 + 0.2) + (0.3 + 0.4));
}

TEST_CASE("prefixes never fall, whatever the magnitudes") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-300, 290);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> items(random() % 300);
    for (auto& item : items) item = std::pow(10.0, exponent(random));
    const prefix_sums cost(items);
    for (std::size_t i = 0; i < items.size(); ++i) REQUIRE(cost.prefix(i) <= cost.prefix(i + 1));
    if (round % 30 == 0) {
      const auto report = stagecut::testing::check_axioms(cost, 2000);
      CHECK_MESSAGE(report, report.text());
    }
  }
}

TEST_CASE("integers are exact up to overflow, which is found") {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  const prefix_sums<std::int64_t> cost{largest - 1, std::int64_t{1}};
  CHECK(cost(0, 2) == largest);
  CHECK_THROWS_WITH_AS((prefix_sums<std::int64_t>{largest, std::int64_t{0}, std::int64_t{1}}),
                       "item 2: the sum of the items up to this one overflows", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((prefix_sums<std::int32_t>(std::vector{2'000'000'000, 2'000'000'000})),
                       "item 1: the sum of the items up to this one overflows", stagecut::invalid_input);
  CHECK(prefix_sums(std::vector{2'000'000'000, 2'000'000'000})(0, 2) == 4'000'000'000);
}

TEST_CASE("bad items are refused where they stand, at any position") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t size : {1U, 7U, 8U, 9U, 30U}) {
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<double> items(size, 1.0);
      const std::string place = "item " + std::to_string(at);
      for (const double bad : {nan, infinity, -infinity, -1.0, -1e-300}) {
        items[at] = bad;
        CHECK_THROWS_WITH_AS(prefix_sums{items}, doctest::Contains(place.c_str()), stagecut::invalid_input);
      }
      items[at] = -0.0;
      CHECK_NOTHROW(prefix_sums{items});
    }
  }
  CHECK_THROWS_WITH_AS((prefix_sums{1e308, 1e308}), "item 1: the sum of the items up to this one overflows",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((prefix_sums{1, -2}), "item 1: -2 is negative", stagecut::invalid_input);
}

TEST_CASE("new items replace the old ones, and bad ones leave none") {
  prefix_sums<double> cost{1.0, 2.0, 3.0};
  const std::vector<double> other{5.0};
  cost.assign(other);
  CHECK(cost.size() == 1);
  CHECK(cost(0, 1) == 5);
  const std::vector<double> bad{-1.0};
  CHECK_THROWS(cost.assign(bad));
  CHECK(cost.size() == 0);
  CHECK(cost(0, 0) == 0);
}

TEST_CASE("a copy stands alone") {
  prefix_sums<double> cost{1.0, 2.0};
  const prefix_sums<double> copy = cost;
  const std::vector<double> other{9.0, 9.0};
  cost.assign(other);
  CHECK(copy(0, 2) == 3);
}

TEST_CASE("large chains, written past the caches, sum the same") {
  std::vector<double> items(3'000'003);
  std::mt19937_64 random(6);
  for (auto& item : items) item = static_cast<double>(random() >> 11U) * 0x1p-53;
  const prefix_sums cost(items);
  const stagecut::block_sums blocks(items);
  bool same = true;
  for (std::size_t i = 0; i <= items.size(); i += 997) same = same && cost.prefix(i) == blocks.prefix(i);
  CHECK(same);
  CHECK(cost.prefix(items.size()) == blocks.prefix(items.size()));
  CHECK(cost.prefix(items.size()) == doctest::Approx(1.5e6).epsilon(0.01));
}

TEST_CASE_TEMPLATE("placed sums are the same costs to the bit", Sum, double, std::int64_t, std::uint32_t) {
  std::mt19937 random(9);
  for (std::size_t items = 0; items < 40; ++items) {
    std::vector<Sum> numbers(items);
    for (Sum& number : numbers) number = static_cast<Sum>(random() % 1000) / static_cast<Sum>(3);
    copied_arrays memory;
    auto cost = std::make_unique<prefix_sums<Sum>>(numbers);
    const auto placed = stagecut::detail::placed(*cost, memory);
    static_assert(std::is_trivially_copyable_v<decltype(placed)>);
    static_assert(stagecut::additive_cost<std::remove_const_t<decltype(placed)>>);
    const prefix_sums<Sum> kept(*cost);
    cost.reset();
    CHECK(placed.size() == items);
    for (std::size_t first = 0; first <= items; ++first) {
      CHECK(placed.prefix(first) == kept.prefix(first));
      for (std::size_t last = first; last <= items; ++last) CHECK(placed(first, last) == kept(first, last));
    }
  }
  copied_arrays memory;
  CHECK(prefix_sums<Sum>().placed(memory)(0, 0) == Sum{});
}
