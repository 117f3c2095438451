// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/check_links.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using stagecut::argument_error;
using stagecut::link_speed;
using stagecut::detail::check_links;

TEST_CASE("links of any finite speed pass") {
  CHECK_NOTHROW(check_links("f", "links", std::vector<link_speed>{}));
  CHECK_NOTHROW(check_links("f", "links", std::vector<link_speed>{{0, 0}, {1e300, 1e-300}}));
}

TEST_CASE("the first that is none is named") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(check_links("f", "links", std::vector<link_speed>{{1, 1}, {-1, 1}}),
                       "stagecut::f: links[1].latency = -1.000000, must be finite and not negative", argument_error);
  CHECK_THROWS_WITH_AS(check_links("f", "levels", std::vector<link_speed>{{1, infinity}, {-1, 1}}),
                       "stagecut::f: levels[0].bandwidth = inf, must be finite and not negative", argument_error);
  CHECK_THROWS_AS(check_links("f", "links", std::vector<link_speed>{{nan, 1}}), argument_error);
}
