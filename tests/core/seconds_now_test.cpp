// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/seconds_now.hpp>

#include <doctest/doctest.h>

using stagecut::detail::seconds_now;

TEST_CASE("time goes on, and not back") {
  const double first = seconds_now();
  double last = first;
  for (long tries = 0; last == first && tries < 1'000'000'000; ++tries) last = seconds_now();
  CHECK(last > first);
}
