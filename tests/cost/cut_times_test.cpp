// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/cut_times.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using stagecut::cut_times;

TEST_CASE("a message takes the time of its link, and none passes the ends of the chain") {
  const cut_times times({8, 6, 4, 100}, {{2, 4}, {1, 0}});
  CHECK(times.size() == 4);
  CHECK(times(0, 1) == 4);
  CHECK(times(0, 2) == 3.5);
  CHECK(times(1, 2) == 1);
  for (const std::size_t boundary : {0U, 1U, 9U}) {
    CHECK(times(boundary, 0) == 0);
    CHECK(times(boundary, 4) == 0);
  }
}

TEST_CASE("what a stage receives is what the one before it sends") {
  const cut_times times({8, 6, 4, 100}, {{2, 4}, {1, 0}});
  for (std::size_t cut = 0; cut <= 4; ++cut) {
    CHECK(times.received(0, cut) == 0);
    CHECK(times.received(1, cut) == times(0, cut));
    CHECK(times.received(2, cut) == times(1, cut));
    CHECK(times.sent(0, cut) == times(0, cut));
    CHECK(times.sent(1, cut) == times(1, cut));
    CHECK(times.sent(2, cut) == 0);  // no link behind it
  }
}

TEST_CASE("one link serves all boundaries") {
  const cut_times times({8, 6}, {{2, 4}});
  for (const std::size_t boundary : {0U, 1U, 1000U}) {
    CHECK(times(boundary, 1) == 4);
    CHECK(times.sent(boundary, 1) == 4);
    CHECK(times.received(boundary + 1, 1) == 4);
  }
}

TEST_CASE("a single stage has no boundary") {
  const cut_times times({8, 6}, {});
  CHECK(times.sent(0, 1) == 0);
  CHECK(times.received(0, 1) == 0);
  CHECK(times.sent(0, 2) == 0);
  CHECK_THROWS_AS(static_cast<void>(times(0, 1)), stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(times.received(1, 1)), stagecut::argument_error);
  CHECK(cut_times({}, {})(0, 0) == 0);
}

TEST_CASE("more stages than links join are refused, wherever they lie") {
  const cut_times times({8, 6, 4}, {{2, 4}, {1, 0}});
  CHECK_THROWS_WITH_AS(
      static_cast<void>(times(2, 1)),
      "stagecut::cut_times: links.size() = 2, must be 1, or the number of boundaries between at least 4 "
      "stages",
      stagecut::argument_error);
  for (std::size_t cut = 0; cut <= 3; ++cut) {
    CHECK_THROWS_AS(static_cast<void>(times.received(3, cut)), stagecut::argument_error);
    CHECK_THROWS_AS(static_cast<void>(times.sent(3, cut)), stagecut::argument_error);
  }
}

TEST_CASE("figures that are none are refused by their place") {
  CHECK_THROWS_WITH_AS(cut_times({1, -1}, {}), "bytes[1]: must be finite and not negative", stagecut::invalid_input);
  CHECK_THROWS_AS(cut_times({std::nan("")}, {}), stagecut::invalid_input);
  CHECK_THROWS_AS(cut_times({std::numeric_limits<double>::infinity()}, {}), stagecut::invalid_input);
  CHECK_THROWS_WITH_AS(cut_times({1}, {{1, 1}, {1, -2}}),
                       "stagecut::cut_times: links[1].bandwidth = -2.000000, must be finite and not negative",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(cut_times({1}, {{std::numeric_limits<double>::infinity(), 1}}),
                       "stagecut::cut_times: links[0].latency = inf, must be finite and not negative",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(cut_times({1e300}, {{1, 1e-300}}),
                       "stagecut::cut_times: links[0].bandwidth = 0.000000, must carry every message in a finite time",
                       stagecut::argument_error);
}
