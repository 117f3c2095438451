// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <utility>
#include <vector>

TEST_CASE("sorting does what std::stable_sort does, with any number of elements") {
  std::mt19937 random(1);
  for (std::size_t n = 0; n < 200; ++n) {
    CAPTURE(n);
    for (const unsigned values : {1U, 3U, 1000U}) {
      std::vector<std::pair<unsigned, std::size_t>> elements;
      for (std::size_t i = 0; i < n; ++i) elements.emplace_back(random() % values, i);
      auto expected = elements;
      const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(expected.begin(), expected.end(), less);
      stagecut::detail::sort(elements, less);
      REQUIRE(elements == expected);
      stagecut::detail::sort(elements, [](const auto& a, const auto& b) { return a.second < b.second; });
      REQUIRE(std::is_sorted(elements.begin(), elements.end(), [](auto& a, auto& b) { return a.second < b.second; }));
    }
  }
}

TEST_CASE("sorting moves what cannot be copied, and compares O(n log n) times whatever the order") {
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 100; ++i) owners.push_back(std::make_unique<int>(i * 37 % 100));
  stagecut::detail::sort(owners, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 100; ++i) CHECK(*owners[static_cast<std::size_t>(i)] == i);

  constexpr std::size_t n = 1U << 16U;
  for (const bool falling : {false, true}) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(falling ? n - i : i);
    std::size_t compared = 0;
    stagecut::detail::sort(numbers, [&](std::size_t a, std::size_t b) { return ++compared, a < b; });
    CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    CHECK(compared < n * 20);
  }
}
