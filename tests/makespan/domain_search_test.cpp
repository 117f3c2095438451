// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/domain_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"
#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::domain_search;
using stagecut::detail::domain_split;
using stagecut::detail::domain_splits;
using stagecut::detail::held_memory;
using stagecut::detail::load_limit;
using stagecut::detail::load_split;
using stagecut::detail::load_values;
using stagecut::detail::point_domains;
using stagecut::engine::incumbent;

namespace {

/// Runs to the end in portions of `nodes` nodes. Returns whether no bound was ever above the smallest makespan, in
/// ticks, and every best cut had its stated makespan.
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

/// Where four layers more than two stages are split if cuts have these weights.
domain_split chosen(const std::vector<double>& loads, const point_domains& domains,
                    const std::vector<std::vector<std::size_t>>& cuts, const std::vector<double>& weights) {
  chain of{chains::layers(loads, loads, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 2));
  domain_split result;
  chains::with_workbench(of, [&](auto& bench) {
    result = domain_splits{}.choose(bench.ticks, {cuts, weights}, domains);
  });
  return result;
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
    if (rules && (of.rules || of.request.memory_limit.for_all())) ++ruled;
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      const points& start = all[random.once_in(2) ? all.size() - 1 : random.below(all.size())].second;
      best.offer(start, bench.simulate(start));
      domain_search search(bench.ticks, of.request.schedule, bench.checked, bench.simulate, bench.clock, best);
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
      if (of.request.memory_limit.for_all()) ++short_of;
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
      domain_search search(bench.ticks, of.request.schedule, bench.checked, bench.simulate, bench.clock, best);
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
    of.request.memory_limit = {};
    const std::vector<valued> all = chains::all_cuts<double>(of);
    chains::with_workbench(of, [&](auto& bench) {
      bench.ticks.scale(all[0].first);
      incumbent best(bench.clock, bench.ticks.tick, bench.ticks.error());
      const points& start = all[0].second;
      const double there = bench.simulate(start);
      best.offer(start, there);
      domain_search search(bench.ticks, of.request.schedule, bench.checked, bench.simulate, bench.clock, best);
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
    of.request.search.node_limit = random.from(1, 100);
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all.back().second, bench.simulate(all.back().second));
      domain_search search(bench.ticks, of.request.schedule, bench.checked, bench.simulate, bench.clock, best);
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

TEST_CASE("the point and the item about which cuts differ most, by what the item takes") {
  const point_domains all(8, 4);
  const std::vector<double> loads{1, 1, 9, 1, 1, 1, 1, 1};
  // Points 1 and 3 differ by an item each; point 1's is the heavy one.
  const domain_split heavy = chosen(loads, all, {{0, 2, 4, 5, 8}, {0, 3, 4, 6, 8}}, {0.5, 0.5});
  CHECK(heavy.point == 1);
  CHECK(heavy.place == 2);
  // Hardly any share has it elsewhere.
  const domain_split shared =
      chosen(loads, all, {{0, 2, 4, 5, 8}, {0, 3, 4, 6, 8}, {0, 2, 4, 6, 8}}, {0.5, 0.01, 0.49});
  CHECK(shared.point == 3);
  CHECK(shared.place == 5);
}

TEST_CASE("cuts outside the domains do not count; of one mind, the widest domain is split in the middle") {
  point_domains some(8, 4);
  some.low = {0, 1, 2, 4};
  some.high = {0, 1, 6, 7};
  const std::vector<double> loads(8, 1);
  const domain_split one = chosen(loads, some, {{0, 1, 3, 5, 8}, {0, 2, 3, 5, 8}}, {0.5, 0.5});
  CHECK(one.point == 2);
  CHECK(one.place == 4);
  const domain_split none = chosen(loads, some, {}, {});
  CHECK(none.point == 2);
  CHECK(none.place == 4);
}

TEST_CASE("the rank or stage that is furthest, in the mean, from what it can take, and ranks before stages") {
  const std::vector<double> alike(8, 3);
  chain of{chains::layers(alike, alike, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 2));
  chains::with_workbench(of, [&](auto& bench) {
    const held_memory held(of.request.schedule, bench.checked, 8, 1, bench.clock);
    const load_values loads(bench.ticks, of.request.schedule, held);
    const double item = 6 / bench.ticks.tick;
    // Rank 0 has 2 + 2, or 3 + 2: 4.5 in the mean. Rank 1 has the rest.
    const std::vector<std::vector<std::size_t>> cuts{{0, 2, 4, 6, 8}, {0, 3, 4, 6, 8}};
    const load_split rank = domain_splits::choose(loads, {}, {cuts, {0.5, 0.5}});
    CHECK(rank.group == 0);
    CHECK(rank.below == 4 * item);
    CHECK(rank.above == 5 * item);
    CHECK(rank.score == 2 * item);
    // A limit of rank 0, and so the other one, whose mean is 3.5.
    const load_split other = domain_splits::choose(loads, {{0, true, 4 * item}}, {cuts, {0.5, 0.5}});
    CHECK(other.group == 1);
    CHECK(other.below == 3 * item);
    // Both ranks have 4 always, but their stages have 2.5 and 1.5.
    const std::vector<std::vector<std::size_t>> stages{{0, 2, 4, 6, 8}, {0, 3, 6, 7, 8}};
    const load_split stage = domain_splits::choose(loads, {}, {stages, {0.5, 0.5}});
    CHECK(stage.group == 2);
    CHECK(stage.below == 2 * item);
    // Nothing is between values.
    CHECK(domain_splits::choose(loads, {}, {cuts, {1, 0}}).score == 0);
  });
}
