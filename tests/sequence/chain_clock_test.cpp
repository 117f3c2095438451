// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_variance.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <vector>

using stagecut::search_options;
using stagecut::search_progress;
using stagecut::detail::chain_clock;
using stagecut::detail::seconds_now;

TEST_CASE("without limits a search is never over") {
  const search_options limits;
  chain_clock clock(limits);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(clock.over(0.5));
  CHECK_FALSE(clock.was_over());
}

TEST_CASE("a time limit that is no number is refused, in the name of who was asked") {
  search_options limits;
  stagecut::detail::check_limits("f", limits);
  for (const double each : {-1.0, 0.0, std::numeric_limits<double>::infinity()}) {
    limits.time_limit = each;
    stagecut::detail::check_limits("f", limits);
  }
  limits.time_limit = std::numeric_limits<double>::quiet_NaN();
  const stagecut::prefix_sums cost{1.0, 2.0};
  const auto any = [](std::size_t, std::size_t, std::size_t) { return true; };
  CHECK_THROWS_WITH_AS((void)stagecut::minimize_range(cost, 2, limits),
                       "stagecut::minimize_range: search.time_limit = NaN, must be a number", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)stagecut::minimize_leximax(cost, 2, limits),
                       "stagecut::minimize_leximax: search.time_limit = NaN, must be a number", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)stagecut::minimize_variance(cost, 2, any, limits),
                       "stagecut::minimize_variance: search.time_limit = NaN, must be a number", stagecut::argument_error);
}

TEST_CASE("no time is over at once, and stays so") {
  search_options limits;
  limits.time_limit = 0;
  chain_clock clock(limits);
  CHECK(clock.over(0));
  CHECK(clock.was_over());
  limits.time_limit.reset();
  CHECK(clock.over(0));
}

TEST_CASE("a clock has its limits for itself: the request that they came from may be gone") {
  search_options limits;
  limits.time_limit = 0;
  chain_clock clock(limits);
  limits.time_limit.reset();
  CHECK(clock.over(0));
  chain_clock of_none(search_options{});
  CHECK_FALSE(of_none.over(0));
}

TEST_CASE("rows are counted, and what takes as long as several") {
  search_options limits;
  limits.node_limit = 5;
  chain_clock clock(limits);
  for (int i = 0; i < 5; ++i) CHECK_FALSE(clock.over(0));
  CHECK(clock.over(0));
  CHECK(clock.look(0));
  chain_clock other(limits);
  other.work(5);
  CHECK_FALSE(other.look(0));
  other.work(1);
  CHECK(other.look(0));
  CHECK(other.was_over());
}

TEST_CASE("a search that rows end keeps to its bound, says the same again, and the optimum with enough of them") {
  std::vector<double> weights;
  for (std::size_t i = 0; i < 60; ++i) weights.push_back(static_cast<double>(i * i % 37 + 1));
  const stagecut::prefix_sums cost(weights);
  const auto odd = [](std::size_t, std::size_t first, std::size_t last) { return (last - first) % 5 != 4; };
  const auto range = stagecut::minimize_range(cost, 7, odd);
  const auto leximax = stagecut::minimize_leximax(cost, 7, odd);
  const auto variance = stagecut::minimize_variance(cost, 7, odd);
  REQUIRE((range && leximax && variance));
  std::size_t proved = 0;
  for (std::size_t rows = 0; rows < 20'000; rows = rows * 2 + 1) {
    CAPTURE(rows);
    search_options limits;
    limits.node_limit = rows;
    const auto short_range = stagecut::minimize_range(cost, 7, odd, limits);
    REQUIRE(short_range);
    CHECK(short_range->cuts == stagecut::minimize_range(cost, 7, odd, limits)->cuts);
    CHECK(short_range->bound <= range->value);
    CHECK(range->value <= short_range->value);
    const auto short_leximax = stagecut::minimize_leximax(cost, 7, odd, limits);
    REQUIRE(short_leximax);
    CHECK(leximax->value.front() == short_leximax->value.front());
    CHECK(leximax->value <= short_leximax->value);
    const auto short_variance = stagecut::minimize_variance(cost, 7, odd, limits);
    REQUIRE(short_variance);
    CHECK(short_variance->bound <= variance->value);
    CHECK(variance->value <= short_variance->value);
    for (const bool each : {short_range.state() == stagecut::state::optimal, short_leximax.state() == stagecut::state::optimal,
                            short_variance.state() == stagecut::state::optimal}) {
      proved += each ? 1U : 0U;
    }
    if (rows == 0) CHECK(proved < 3);
  }
  CHECK(proved >= 3);
  search_options enough;
  enough.node_limit = 1'000'000;
  CHECK(stagecut::minimize_range(cost, 7, odd, enough).state() == stagecut::state::optimal);
  CHECK(stagecut::minimize_range(cost, 7, enough)->value == stagecut::minimize_range(cost, 7)->value);
}

TEST_CASE("who stops is asked in every sixteenth row, and at each long step") {
  int asked = 0;
  const auto stop = [&] { return ++asked == 3; };
  search_options limits;
  limits.stop = stop;
  chain_clock clock(limits);
  for (int i = 0; i < 17; ++i) CHECK_FALSE(clock.over(0));
  CHECK(asked == 2);
  CHECK(clock.look(0));
  CHECK(clock.over(0));
  CHECK(asked == 3);
}

TEST_CASE("progress is told now and then") {
  std::vector<search_progress> told;
  const auto tell = [&](const search_progress& now) { told.push_back(now); };
  search_options limits;
  limits.progress = tell;
  chain_clock clock(limits);
  const double begin = seconds_now();
  while (told.size() < 2 && seconds_now() - begin < 60) (void)clock.look(0.25);
  REQUIRE(told.size() == 2);
  CHECK(told[0].share == 0.25);
  CHECK(told[1].seconds - told[0].seconds >= 0.1);
}
