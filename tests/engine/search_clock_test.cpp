// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/search_clock.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace engine = stagecut::engine;
using stagecut::search_progress;
using stagecut::search_options;
using stagecut::detail::seconds_now;
using stagecut::engine::search_clock;

TEST_CASE("without limits a search is never over") {
  search_options limits;
  limits.time_limit.reset();
  engine::search_clock clock(limits);
  clock.state.nodes = std::size_t{1} << 40U;
  CHECK_FALSE(clock.look());
  CHECK_FALSE(clock.over());
  CHECK(clock.state.seconds >= 0);
}

TEST_CASE("no time is over at once, and stays so") {
  search_options limits;
  limits.time_limit = 0;
  engine::search_clock clock(limits);
  CHECK(clock.over());
  limits.time_limit.reset();
  CHECK(clock.look());
  CHECK(clock.over());
  const search_options later{.time_limit = 10};
  engine::search_clock patient(later);
  CHECK_FALSE(patient.look());
}

TEST_CASE("a number of nodes") {
  search_options limits;
  limits.node_limit = 3;
  engine::search_clock clock(limits);
  CHECK_FALSE(clock.over());
  clock.state.nodes = 2;
  CHECK_FALSE(clock.over());
  clock.state.nodes = 3;
  CHECK(clock.over());
  CHECK(clock.look());
}

TEST_CASE("whoever is asked often may stop it") {
  std::size_t asked = 0;
  const auto third_time = [&] { return ++asked == 3; };
  search_options limits;
  limits.stop = third_time;
  engine::search_clock clock(limits);
  CHECK_FALSE(clock.look());
  CHECK_FALSE(clock.look());
  CHECK(clock.look());
  CHECK(clock.over());
  CHECK(asked == 3);  // and is not asked again
  asked = 0;
  engine::search_clock busy(limits);
  std::size_t simulations = 0;
  while (!busy.over() && simulations < 1000) ++simulations;
  CHECK(simulations < 100);
}

TEST_CASE("progress is told when something is found") {
  search_progress latest;
  std::size_t told = 0;
  const auto listener = [&](const search_progress& now) {
    latest = now;
    ++told;
  };
  search_options limits;
  limits.progress = listener;
  engine::search_clock clock(limits);
  clock.state.value = 5;
  clock.state.bound = 4;
  clock.state.nodes = 3;
  clock.state.evaluations = 2;
  clock.tell();
  CHECK(told == 1);
  CHECK(latest.value == 5);
  CHECK(latest.bound == 4);
  CHECK(latest.nodes == 3);
  CHECK(latest.evaluations == 2);
  CHECK(latest.seconds >= 0);
  const double begin = seconds_now();
  while (told == 1 && seconds_now() - begin < 5) (void)clock.look();
  CHECK(told == 2);  // now and then
}

TEST_CASE("a hundred choices count as a node") {
  stagecut::search_options limits;
  limits.node_limit = 2;
  engine::search_clock clock(limits);
  clock.work(150);
  CHECK(clock.state.nodes == 1);
  CHECK_FALSE(clock.look());
  clock.work(50);
  CHECK(clock.state.nodes == 2);
  CHECK(clock.look());
  CHECK(clock.over());
}

TEST_CASE("a pause ends after so many nodes from now, and another limit does not end with it") {
  search_options limits;
  limits.time_limit.reset();
  limits.node_limit = 20;
  engine::search_clock clock(limits);
  clock.state.nodes = 5;
  clock.pause_after(3);
  CHECK_FALSE(clock.over());
  CHECK_FALSE(clock.look());
  clock.state.nodes = 7;
  CHECK_FALSE(clock.over());
  clock.work(100);
  CHECK(clock.over());
  CHECK(clock.look());
  clock.resume();
  CHECK_FALSE(clock.over());
  CHECK_FALSE(clock.look());
  clock.pause_after(12);  // to where the limit is
  clock.state.nodes = 19;
  CHECK_FALSE(clock.look());
  clock.state.nodes = 20;
  CHECK(clock.over());
  clock.resume();
  CHECK(clock.over());
  CHECK(clock.look());
}
