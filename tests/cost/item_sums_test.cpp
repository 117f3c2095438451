// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/item_sums.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

static_assert(std::is_same_v<stagecut::sum_t<float>, double>);
static_assert(std::is_same_v<stagecut::sum_t<std::int32_t>, std::int64_t>);
static_assert(std::is_same_v<stagecut::sum_t<std::uint8_t>, std::uint64_t>);
static_assert(stagecut::item_of<float, double>);
static_assert(stagecut::item_of<std::uint64_t, std::int32_t>);
static_assert(!stagecut::item_of<int, double>);
static_assert(!stagecut::item_of<double, std::int64_t>);
static_assert(!stagecut::item_of<bool, std::int64_t>);

TEST_CASE("items are checked one by one") {
  const auto check = [](std::vector<double> items) {
    stagecut::detail::check_items(stagecut::view<const double>(items));
  };
  CHECK_NOTHROW(check({0.0, -0.0, 1e300}));
  CHECK_THROWS_WITH(check({1, std::numeric_limits<double>::quiet_NaN()}), "item 1: nan is NaN");
  CHECK_THROWS_WITH(check({1, 2, std::numeric_limits<double>::infinity()}), "item 2: inf is infinite");
  CHECK_THROWS_WITH(check({-1e-300}), doctest::Contains("item 0: -1"));
  CHECK_THROWS_WITH(check({-1e-300}), doctest::Contains("is negative"));
}

TEST_CASE("integer items are added with a check") {
  std::int32_t sum = 0;
  stagecut::detail::add_item(sum, std::int64_t{2'147'483'647}, 0);
  CHECK(sum == std::numeric_limits<std::int32_t>::max());
  CHECK_THROWS_WITH(stagecut::detail::add_item(sum, 1, 7), "item 7: the sum of the items up to this one overflows");
  CHECK_THROWS_WITH(stagecut::detail::add_item(sum, -1, 8), "item 8: -1 is negative");
  std::uint64_t large = 0;
  stagecut::detail::add_item(large, std::numeric_limits<std::uint64_t>::max(), 0);
  CHECK_THROWS(stagecut::detail::add_item(large, 1U, 1));
}
