// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/link_fronts.hpp>

#include <doctest/doctest.h>

TEST_CASE("every link has a front of its own, one way and the other") {
  stagecut::detail::link_fronts links(3);
  CHECK(links.at(0, 1) == 0);
  links.at(0, 1) = 4;
  links.at(1, 0) = 5;
  links.at(0, 2) = 6;
  CHECK(links.at(0, 1) == 4);
  CHECK(links.at(1, 0) == 5);
  CHECK(links.at(0, 2) == 6);
  CHECK(links.at(2, 0) == 0);
}
