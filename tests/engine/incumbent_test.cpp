// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/incumbent.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace engine = stagecut::engine;
using stagecut::search_progress;
using stagecut::engine::incumbent;
using points = std::vector<std::size_t>;

TEST_CASE("the best cut so far, a bound, and who is told") {
  std::vector<search_progress> told;
  const auto listener = [&](const search_progress& now) { told.push_back(now); };
  stagecut::search_options limits;
  limits.progress = listener;
  stagecut::engine::search_clock clock(limits);
  engine::incumbent best(clock, 0.5);
  CHECK_FALSE(best.any());
  CHECK_FALSE(best.proved());
  best.offer(points{0, 1, 3}, 10);
  CHECK(best.any());
  CHECK(best.points() == points{0, 1, 3});
  CHECK(best.makespan() == 10);
  CHECK(best.bound() == 0);
  REQUIRE(told.size() == 1);
  CHECK(told[0].value == 5);
  CHECK(told[0].bound == 0);
  best.offer(points{0, 2, 3}, 10);  // no better
  best.offer(points{0, 2, 3}, 11);
  CHECK(best.points() == points{0, 1, 3});
  CHECK(told.size() == 1);
  best.raise(4);
  best.raise(3);  // is known
  CHECK(best.bound() == 4);
  CHECK(told.size() == 2);
  CHECK(told[1].bound == 2);
  CHECK_FALSE(best.proved());
  best.replace(points{0, 2, 3}, 10);  // as good, and nobody need know
  CHECK(best.points() == points{0, 2, 3});
  CHECK(told.size() == 2);
  best.offer(points{0, 1, 3}, 8);
  CHECK(best.makespan() == 8);
  CHECK(told.size() == 3);
  best.raise(9);
  CHECK(best.bound() == 8);  // not above what there is
  CHECK(best.proved());
  CHECK(told.back().bound == 4);
}

TEST_CASE("a bound is a multiple of what divides all makespans") {
  const stagecut::search_options limits;
  stagecut::engine::search_clock clock(limits);
  engine::incumbent best(clock, 0.25, 0, 4);
  best.offer(points{0, 1, 3}, 16);
  best.raise(5);
  CHECK(best.bound() == 8);
  best.raise(8);
  CHECK(best.bound() == 8);
  best.raise(12);
  CHECK(best.bound() == 12);
  best.raise(13);
  CHECK(best.proved());
  best.restart(0.125, 0.5);
  best.offer(points{0, 2, 3}, 30);
  best.raise(5.5);
  CHECK(best.bound() == 5.5);
}

TEST_CASE("ticks of another size, and what rounding leaves of a bound") {
  std::vector<search_progress> told;
  const auto listener = [&](const search_progress& now) { told.push_back(now); };
  stagecut::search_options limits;
  limits.progress = listener;
  stagecut::engine::search_clock clock(limits);
  engine::incumbent best(clock, 4, 3);
  best.offer(points{0, 1, 3}, 10);
  CHECK(told.back().value == 43);
  CHECK(told.back().bound == 0);
  best.raise(9);
  CHECK(best.certain_bound() == 33);
  CHECK(told.back().bound == 33);
  best.restart(0.5, 0.25);
  CHECK_FALSE(best.any());
  CHECK(best.bound() == 0);
  CHECK(best.certain_bound() == 0);
  best.offer(points{0, 2, 3}, 85);
  CHECK(told.back().value == 42.75);
  CHECK(told.back().bound == 33);  // is true all the same
  best.offer(points{0, 1, 3}, 80);
  CHECK(told.back().value == 40.25);
  best.raise(80);
  CHECK(best.proved());
  CHECK(told.back().bound == 39.75);
}
