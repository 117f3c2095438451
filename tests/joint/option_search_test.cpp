// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>

#include "small_problems.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::option_search;
using stagecut::engine::search_clock;

namespace {

double least_of(const workbench& bench, const std::set<options>& plans) {
  double least = 1e300;
  for (const options& plan : plans) least = std::min(least, bench.makespan(plan));
  return least;
}

}  // namespace

TEST_CASE("the best of all plans, proved, from the worst one on") {
  std::mt19937 dice(1);
  std::size_t branched = 0;
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph);
    if (plans.empty()) continue;
    options worst = *plans.begin();
    for (const options& plan : plans) {
      if (bench.makespan(plan) > bench.makespan(worst)) worst = plan;
    }
    stagecut::search_options limits;
    limits.time_limit.reset();
    search_clock clock(limits);
    option_search search(bench.problem, clock, bench.unit.step);
    search.begin(worst);
    CHECK(search.makespan == bench.makespan(worst));
    CHECK(search.run());
    CHECK(search.makespan == least_of(bench, plans));
    CHECK(search.bound == search.makespan);
    CHECK(bench.is_sound(search.best, search.makespan));
    CHECK(plans.count(search.best) == 1);
    branched += search.looked_at > 1 ? 1 : 0;
    CHECK(search.run());  // nothing is left
  }
  CHECK(branched > 20);
}

TEST_CASE("stopped after any number of sets, and then gone on with") {
  std::mt19937 dice(2);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 2, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph);
    if (plans.empty()) continue;
    const double least = least_of(bench, plans);
    stagecut::search_options limits;
    limits.time_limit.reset();
    search_clock clock(limits);
    option_search search(bench.problem, clock, bench.unit.step);
    search.begin(joint_tests::any_plan(dice, plans));
    double last = 0;
    bool proved = false;
    for (std::size_t pause = 0; !proved && pause < 500; ++pause) {
      clock.pause_after(pause);
      proved = search.run();
      clock.resume();
      CHECK(search.bound >= last);
      CHECK(search.bound <= least);
      CHECK(search.makespan >= least);
      CHECK(search.makespan == bench.makespan(search.best));
      last = search.bound;
      const double before = search.makespan;
      const options& other = joint_tests::any_plan(dice, plans);
      search.better(other);
      CHECK(search.makespan == std::min(before, bench.makespan(other)));
    }
    CHECK(proved);
    CHECK(search.makespan == least);
  }
}
