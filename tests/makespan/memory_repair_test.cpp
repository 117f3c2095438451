// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_repair.hpp>

#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "memory_chains.hpp"
#include "requests.hpp"

using chains::dice;
using chains::table_rules;
using stagecut::schedule;
using stagecut::detail::memory_repair;
using stagecut::detail::memory_rows;
using stagecut::engine::search_clock;

TEST_CASE("what it calls done keeps to the rows, and where there is much room it is done mostly") {
  dice random(41);
  const stagecut::search_options limits;
  search_clock clock(limits);
  int done = 0;
  int tight = 0;
  int tries = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const schedule order = chains::placement(random, random.from(2, 3), 2);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 11));
    const double least = chains::least_limit(*rules, order);
    if (!(least < std::numeric_limits<double>::infinity()) || !(least > 0)) continue;
    memory_rows rows(order, *rules, 11);
    REQUIRE(rows.build(clock));
    REQUIRE(rows.add_first());
    chains::points begin;  // the first of all cuts: long stages at the end
    chains::each_cut(11, order.stages(), [&](const chains::points& cut) {
      for (std::size_t s = 0; s < order.stages(); ++s) {
        if (!rules->allows(s, cut[s], cut[s + 1])) return;
      }
      if (begin.empty()) begin = cut;
    });
    for (const double by : {0.5, 1.0, 1.3}) {
      memory_repair repair(rows, order.stages(), by * least, clock);
      chains::points points = begin;
      bool kept = repair(points, 100, true);
      if (!kept) {
        CHECK(points == begin);
        kept = repair(points, 200, false);  // goes on
      }
      if (by >= 1) ++tries;
      if (!kept) continue;
      (by > 1 ? done : tight) += 1;
      CHECK(points.front() == 0);
      CHECK(points.back() == 11);
      for (std::size_t s = 0; s < order.stages(); ++s) CHECK(rules->allows(s, points[s], points[s + 1]));
      for (std::size_t q = 0; q < rows.rows().size(); ++q) CHECK(rows.sum(q, points) <= by * least);
    }
  }
  CHECK(done > tries / 4);
  CHECK(tight > tries / 8);
}

TEST_CASE("a cut that keeps to the rows is left as it is, and no time moves nothing far") {
  dice random(42);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 8));
  for (auto& of : rules->may_be) std::fill(of.begin(), of.end(), char{1});
  const stagecut::search_options limits;
  search_clock clock(limits);
  memory_rows rows(order, *rules, 8);
  REQUIRE(rows.build(clock));
  REQUIRE(rows.add_first());
  const chains::points begin{0, 1, 3, 7, 8};
  chains::points points = begin;
  CHECK(memory_repair(rows, 4, 1000, clock)(points, 10, true));
  CHECK(points == begin);
  search_clock over(chains::no_time);
  CHECK_FALSE(memory_repair(rows, 4, 1e-9, over)(points, std::size_t{1} << 40U, true));
}
