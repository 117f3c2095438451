// SPDX-License-Identifier: BSL-1.0
#include "ranks/threads.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "small_run.hpp"

TEST_CASE("threads compute what one rank does, bit for bit") {
  const auto alone = all_gradients(executor::run_threads(small_run("gpipe", 1, 6)));
  REQUIRE(alone.size() == 9);
  for (const char* const schedule : {"gpipe", "1f1b", "zb-h1", "zbv"}) {
    CAPTURE(schedule);
    CHECK(all_gradients(executor::run_threads(small_run(schedule, 3, 6))) == alone);
  }
}

TEST_CASE("of threads, who throws is named with its op, and the others end with it") {
  auto setup = small_run("1f1b", 3, 6);
  for (const auto& [rank, at] : {std::pair{"0", "0F1"}, {"1", "1B0"}, {"2", "2B5"}}) {
    setup.fault = {"throw", at};
    const auto [said, seconds] = failure_of<executor::rank_failed>([&] { return executor::run_threads(setup); });
    CHECK(said == std::string("rank ") + rank + ", " + at + ": a fault that was asked for");
    CHECK(seconds < setup.timeout);
  }
  setup.timeout = 0.5;
  setup.fault = {"hang", "1F0"};
  const auto [said, seconds] = failure_of<executor::rank_failed>([&] { return executor::run_threads(setup); });
  CHECK(said.find("nothing came from rank ") != std::string::npos);
  CHECK(seconds < 10 * setup.timeout);
}
