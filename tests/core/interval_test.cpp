// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/interval.hpp>

#include <doctest/doctest.h>

using stagecut::interval;

TEST_CASE("an interval holds its first item and not its last") {
  constexpr interval i{2, 5};
  static_assert(i.size() == 3);
  CHECK(!i.contains(1));
  CHECK(i.contains(2));
  CHECK(i.contains(4));
  CHECK(!i.contains(5));
  CHECK(!i.empty());
}

TEST_CASE("an interval that ends before it begins is empty") {
  CHECK(interval{3, 3}.empty());
  CHECK(interval{4, 3}.empty());
  CHECK(interval{4, 3}.size() == 0);
  CHECK(!interval{4, 3}.contains(3));
  CHECK(interval{} == interval{0, 0});
}
