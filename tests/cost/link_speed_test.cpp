// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/link_speed.hpp>

#include <doctest/doctest.h>

using stagecut::link_speed;

TEST_CASE("the time of a message") {
  constexpr link_speed link{2, 4};
  static_assert(link(8) == 4);
  CHECK(link(0) == 2);
  CHECK(link(6) == 3.5);
  CHECK(link_speed{}(1e9) == 0);
  CHECK(link_speed{3, 0}(1e9) == 3);  // infinitely fast
  CHECK(link == link_speed{2, 4});
  CHECK_FALSE(link == link_speed{2, 5});
}
