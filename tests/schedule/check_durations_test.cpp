// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/parts/check_durations.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace detail = stagecut::detail;

TEST_CASE("the first that is no duration is named") {
  CHECK_NOTHROW(detail::check_durations("forward", std::vector<double>{0, 1, 1e300}));
  CHECK_NOTHROW(detail::check_durations("forward", std::vector<double>{}));
  const auto refused = [](std::vector<double> values, const char* what) {
    CHECK_THROWS_WITH_AS(detail::check_durations("forward", values), what, stagecut::invalid_input);
  };
  refused({1, std::nan(""), -1}, "forward[1]: NaN, must be finite and not negative");
  refused({1, 2, std::numeric_limits<double>::infinity()}, "forward[2]: infinity, must be finite and not negative");
  refused({-1}, "forward[0]: -1.000000, must be finite and not negative");
  CHECK_THROWS_WITH_AS(detail::check_durations("backward", std::vector<int>{3, -2}),
                       "backward[1]: -2, must be finite and not negative", stagecut::invalid_input);
}

TEST_CASE("sums and lengths that do not fit are refused") {
  CHECK(detail::duration_sum(1, 2) == 3);
  CHECK(detail::duration_sum(0.5, 0.25) == 0.75);
  CHECK_THROWS_WITH_AS((void)detail::duration_sum(std::numeric_limits<int>::max(), 1),
                       "times: the sum of all passes and transfers is not representable", stagecut::invalid_input);
  CHECK_NOTHROW(detail::refuse_length("all_reduce", 3, 3));
  CHECK_THROWS_WITH_AS(detail::refuse_length("all_reduce", 2, 3), "all_reduce: has 2 elements, must have 3",
                       stagecut::invalid_input);
}
