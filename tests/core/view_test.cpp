// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/view.hpp>

#include <doctest/doctest.h>

#include <array>
#include <list>
#include <span>
#include <type_traits>
#include <vector>

using stagecut::view;

static_assert(std::is_trivially_copyable_v<view<double>>);
static_assert(std::is_convertible_v<std::vector<int>&, view<int>>);
static_assert(std::is_convertible_v<const std::vector<int>&, view<const int>>);
static_assert(!std::is_convertible_v<const std::vector<int>&, view<int>>);
static_assert(!std::is_constructible_v<view<const int>, std::list<int>>);
static_assert(std::is_same_v<stagecut::element_t<std::span<const float>>, float>);

TEST_CASE("a view sees every contiguous container") {
  std::vector<int> vector{1, 2, 3};
  const std::array<int, 2> array{4, 5};
  int plain[] = {6, 7};
  CHECK(view<const int>(vector).size() == 3);
  CHECK(view<const int>(array)[1] == 5);
  CHECK(view(plain).size() == 2);
  CHECK(view<const int>(std::span<int>(vector)).data() == vector.data());
  view<int> writable = vector;
  writable[0] = 9;
  CHECK(vector[0] == 9);
}

TEST_CASE("a view of a view, a slice, and nothing") {
  const std::vector<int> vector{1, 2, 3, 4};
  const view<const int> all(vector);
  const view<const int> middle = all.slice(1, 3);
  CHECK(middle.size() == 2);
  CHECK(*middle.begin() == 2);
  CHECK(middle.end()[-1] == 3);
  CHECK(view<int>().empty());
  CHECK(all.slice(2, 2).empty());
}
