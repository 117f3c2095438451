// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/detail/grouped_sum.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace detail = stagecut::detail;

namespace {

/// A double that hides from the vector code: converted, it takes the plain code.
struct plain {
  double value;
  explicit constexpr operator double() const { return value; }
};

std::vector<double> random_items(std::mt19937_64& random, std::size_t size) {
  std::vector<double> items(size);
  for (auto& item : items) {
    const int exponent = static_cast<int>(random() % 40) - 20;
    item = random() % 8 == 0 ? 0.0 : std::ldexp(static_cast<double>(random() >> 11U), exponent);
  }
  return items;
}

}  // namespace

TEST_CASE("vector code and plain code give the same bits") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t groups = random() % 9;
    const auto items = random_items(random, groups * detail::group_size);
    std::vector<plain> hidden;
    for (const double item : items) hidden.push_back({item});
    const double before = random() % 2 == 0 ? 0.0 : std::ldexp(static_cast<double>(random() >> 11U), -10);

    std::uint64_t signs = 0;
    std::uint64_t expected_signs = 0;
    alignas(64) double sums[9 * detail::group_size];
    alignas(64) double expected[9 * detail::group_size];
    const double last = round % 2 == 0 ? detail::scan_groups<false>(before, items.data(), groups, sums, signs)
                                       : detail::scan_groups<true>(before, items.data(), groups, sums, signs);
    const double expected_last = detail::scan_groups<false>(before, hidden.data(), groups, expected, expected_signs);
    REQUIRE(last == expected_last);
    REQUIRE((signs >> 63U) == (expected_signs >> 63U));
    for (std::size_t i = 0; i < items.size(); ++i) REQUIRE(sums[i] == expected[i]);
    for (std::size_t i = 1; i < items.size(); ++i) REQUIRE(sums[i - 1] <= sums[i]);
    std::uint64_t other = 0;
    REQUIRE(detail::add_groups(before, items.data(), groups, other) == last);
    REQUIRE(detail::add_groups(before, hidden.data(), groups, other) == last);
  }
}

TEST_CASE("a negative item anywhere shows in the signs") {
  for (std::size_t at = 0; at < 16; ++at) {
    std::vector<double> items(16, 1.0);
    items[at] = -1;
    alignas(64) double sums[16];
    std::uint64_t scanned = 0;
    std::uint64_t added = 0;
    (void)detail::scan_groups<false>(0, items.data(), 2, sums, scanned);
    (void)detail::add_groups(0, items.data(), 2, added);
    CHECK((scanned >> 63U) == 1);
    CHECK((added >> 63U) == 1);
  }
}

TEST_CASE("a short group padded with zeros sums to its prefix") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 1000; ++round) {
    const auto items = random_items(random, 8);
    double sums[8];
    detail::scan_group(1.0, items.data(), sums);
    for (std::size_t size = 1; size <= 8; ++size) {
      double padded[8] = {};
      for (std::size_t i = 0; i < size; ++i) padded[i] = items[i];
      REQUIRE(detail::add_group(1.0, padded) == sums[size - 1]);
    }
  }
}
