// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/domain_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::domain_search;
using stagecut::engine::incumbent;

namespace {

/// Runs to the end in portions of so many nodes. Whether no bound was above the least makespan, in ticks, at any moment, and
/// no best cut was another than it said.
bool sound_to_the_end(domain_search& search, incumbent& best, double least, std::size_t nodes) {
  bool sound = true;
  double before = best.bound();
  for (bool more = true; more;) {
    more = search.run(nodes);
    sound = sound && best.bound() <= least && best.makespan() >= least && best.bound() >= before;
    before = best.bound();
  }
  return sound;
}

}  // namespace

TEST_CASE("the least makespan of all allowed cuts, from any of them, and bounds below it on the way") {
  dice random(1);
  int searched = 0;
  int longer = 0;
  int ruled = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const bool rules = random.once_in(2);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 12, {true, true, rules, rules});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    if (rules && (of.rules || of.request.memory_per_device)) ++ruled;
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      const points& start = all[random.once_in(2) ? all.size() - 1 : random.below(all.size())].second;
      best.offer(start, bench.simulate(start));
      domain_search search(bench.ticks, of.request.order, bench.checked, bench.simulate, bench.clock, best);
      CHECK(search.fits());
      search.begin();
      const double least = all[0].first / bench.ticks.tick;
      CHECK(best.bound() <= least);
      CHECK(search.bound() <= least);
      if (!best.proved()) ++longer;
      CHECK(sound_to_the_end(search, best, least, random.from(1, 3)));
      CHECK(best.proved());
      CHECK(best.makespan() == least);
      CHECK(search.bound() == least);
      const auto is = [&](const valued& each) { return each.second == best.points(); };
      const auto found = std::find_if(all.begin(), all.end(), is);
      CHECK(found != all.end());  // it is allowed
      ++searched;
    });
  }
  CHECK(searched > 1000);
  CHECK(longer > 500);
  CHECK(ruled > 200);
}

TEST_CASE("likewise of items that are alike, where ranks and stages have few loads, and memory is short") {
  dice random(5);
  int searched = 0;
  int longer = 0;
  int short_of = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const auto order = chains::several_order(random, 9);
    const chain of = chains::alike_chain(random, order, 15);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      const points& start = all.back().second;
      best.offer(start, bench.simulate(start));
      domain_search search(bench.ticks, order, bench.checked, bench.simulate, bench.clock, best);
      search.begin();
      const double least = all[0].first / bench.ticks.tick;
      CHECK(best.bound() <= least);
      if (!best.proved()) ++longer;
      CHECK(sound_to_the_end(search, best, least, random.from(1, 3)));
      CHECK(best.proved());
      CHECK(best.makespan() == least);
      ++searched;
      if (of.request.memory_per_device) ++short_of;
    });
  }
  CHECK(searched > 1000);
  CHECK(longer > 500);
  CHECK(short_of > 400);
}

TEST_CASE("more cuts, so that filters go on for several rounds") {
  dice random(2);
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 17, {true, true, false, false});
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all.back().second, bench.simulate(all.back().second));
      domain_search search(bench.ticks, of.request.order, bench.checked, bench.simulate, bench.clock, best);
      search.begin();
      const double least = all[0].first / bench.ticks.tick;
      CHECK(sound_to_the_end(search, best, least, 1));
      CHECK(best.makespan() == least);
    });
  }
}

TEST_CASE("times of any size: the best cut up to what rounding does") {
  dice random(3);
  int fits = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    chain of = chains::rough_chain(random, chains::several_order(random, 7), 10, 2);
    of.rules.reset();
    of.request.memory_per_device.reset();
    const std::vector<valued> all = chains::all_cuts<double>(of);
    chains::with_workbench(of, [&](auto& bench) {
      bench.ticks.scale(all[0].first);
      incumbent best(bench.clock, bench.ticks.tick, bench.ticks.error());
      const points& start = all[0].second;
      const double there = bench.simulate(start);
      best.offer(start, there);
      domain_search search(bench.ticks, of.request.order, bench.checked, bench.simulate, bench.clock, best);
      if (!search.fits()) return;
      ++fits;
      search.begin();
      while (search.run(2)) CHECK(best.certain_bound() <= all[0].first);
      CHECK(best.proved());
      CHECK(best.certain_bound() <= all[0].first);
      CHECK(best.makespan() * bench.ticks.tick >= all[0].first - bench.ticks.error());
    });
  }
  CHECK(fits > 100);
}

TEST_CASE("at a limit it says so, and what is left is bounded") {
  dice random(4);
  int stopped = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    chain of = chains::random_chain(random, chains::several_order(random, 8), 12, {true, true, false, false});
    of.request.limits.node_limit = random.from(1, 100);
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all.back().second, bench.simulate(all.back().second));
      domain_search search(bench.ticks, of.request.order, bench.checked, bench.simulate, bench.clock, best);
      search.begin();
      const double least = all[0].first / bench.ticks.tick;
      CHECK(sound_to_the_end(search, best, least, 1000));
      CHECK(best.proved() == (best.bound() == best.makespan()));
      if (best.proved()) return;
      ++stopped;
      CHECK(bench.clock.over());
      CHECK(search.bound() <= least);
      CHECK_FALSE(search.run(1000));
    });
  }
  CHECK(stopped > 50);
}
