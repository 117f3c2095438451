// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/tempering.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <thread>
#include <vector>

#include "random_chains.hpp"
#include "tempering_chains.hpp"

using chains::chain;
using chains::first_cut;
using chains::long_chain;
using chains::points;
using chains::some_chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::tempering;
using stagecut::engine::incumbent;

namespace {

constexpr std::size_t one_step = tempering::chains - 1;  // candidates that are one move of each chain

/// What a search came to.
struct found {
  points cut{};
  double makespan = 0;
  std::size_t simulations = 0;

  friend bool operator==(const found&, const found&) = default;
};

template <class Bench>
tempering tempering_of(Bench& bench) {
  return tempering(bench.ticks, bench.request.order, bench.checked, bench.simulate, bench.clock);
}

/// From one cut, with all new.
found search(const chain& of, const points& start, std::size_t candidates) {
  found result;
  chains::with_workbench(of, [&](auto& bench) {
    tempering tempered = tempering_of(bench);
    incumbent best(bench.clock, bench.ticks.tick);
    best.offer(start, bench.simulate(start));
    tempered.begin({start});
    tempered.run(candidates, best);
    result = {best.points(), best.makespan(), bench.clock.state.simulations};
  });
  return result;
}

}  // namespace

TEST_CASE("only allowed cuts are offered, with their makespans, and the best is mostly found") {
  dice random(1);
  std::size_t rounds = 0;
  std::size_t optimal = 0;
  std::size_t offers = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = some_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.size() < 3) continue;
    std::map<points, double> makespans;
    for (const auto& [makespan, cut] : all) makespans[cut] = makespan;
    chains::with_workbench(of, [&](auto& bench) {
      const auto& [worst, start] = all.back();
      tempering tempered = tempering_of(bench);
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(start, bench.simulate(start));
      tempered.begin({start});
      double before = worst;
      bool sound = true;
      for (int step = 0; step < 60; ++step) {
        tempered.run(one_step, best);
        const auto here = makespans.find(best.points());
        const double now = best.makespan() * bench.ticks.tick;
        sound = sound && here != makespans.end() && here->second == now && now <= before;
        offers += now < before ? 1 : 0;
        before = now;
      }
      CHECK(sound);
      ++rounds;
      optimal += before == all[0].first ? 1 : 0;
    });
  }
  CHECK(rounds == 151);
  CHECK(optimal >= 149);  // of them
  CHECK(offers > 250);
}

TEST_CASE("equal ways, again, anew, and in two threads at once") {
  dice random(2);
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    const chain of = long_chain(random);
    const points start = first_cut(of);
    const found once = search(of, start, 3000);
    CHECK(once.simulations > 1 + tempering::chains);
    found both[2];
    std::thread other([&] { both[0] = search(of, start, 3000); });
    both[1] = search(of, start, 3000);
    other.join();
    CHECK(both[0] == once);
    CHECK(both[1] == once);
    chains::with_workbench(of, [&](auto& bench) {
      tempering tempered = tempering_of(bench);
      for (const std::size_t parts : std::vector<std::size_t>{1, 47}) {  // of 3000 / 64 + 1 steps
        bench.simulate.simulations = 0;
        incumbent best(bench.clock, bench.ticks.tick);
        best.offer(start, bench.simulate(start));
        tempered.begin({start});
        for (std::size_t part = 0; part < parts; ++part) tempered.run(3008 / parts - 1, best);
        CHECK(found{best.points(), best.makespan(), bench.clock.state.simulations} == once);
      }
    });
  }
}

TEST_CASE("about so many cuts are looked at") {
  dice random(3);
  for (int round = 0; round < 25; ++round) {
    CAPTURE(round);
    const chain of = long_chain(random);
    const found some = search(of, first_cut(of), 3000);
    CHECK(some.simulations <= 3000 + tempering::chains + 1);
    CHECK(some.simulations > 1500);
  }
}

TEST_CASE("nothing is done once the bound is met or the clock says stop") {
  dice random(4);
  std::size_t proved = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    chain of = some_chain(random, 9);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.size() < 3 || all[0].first == all.back().first) continue;
    const points& start = all.back().second;
    chains::with_workbench(of, [&](auto& bench) {
      tempering tempered = tempering_of(bench);
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(start, bench.simulate(start));
      best.raise(all[0].first / bench.ticks.tick);
      tempered.begin({start});
      tempered.run(20'000, best);
      if (!best.proved()) return;
      ++proved;
      const std::size_t simulations = bench.simulate.simulations;
      CHECK(simulations < 20'000);
      tempered.run(20'000, best);
      CHECK(bench.simulate.simulations == simulations);
    });
    of.request.limits.node_limit = 0;
    const found none = search(of, start, 20'000);
    CHECK(none.simulations == 1);
    CHECK(none.cut == start);
    of.request.limits.node_limit.reset();
    int asked = 0;
    const auto stop = [&] { return ++asked > 2; };
    of.request.limits.stop = stop;
    CHECK(search(of, start, 1'000'000).simulations <= 33 * tempering::chains);
    CHECK(asked == 3);
  }
  CHECK(proved > 30);
}

TEST_CASE("a cut that is added is gone on from, if it is better") {
  dice random(5);
  std::size_t rounds = 0;
  std::size_t with = 0;
  std::size_t without = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const chain of = long_chain(random);
    const points start = first_cut(of);
    const found good = search(of, start, 10'000);
    chains::with_workbench(of, [&](auto& bench) {
      const double first = bench.simulate(start);
      const auto few = [&](const points* added, double makespan) {
        tempering tempered = tempering_of(bench);
        bench.simulate.simulations = 0;
        incumbent best(bench.clock, bench.ticks.tick);
        best.offer(start, first);
        tempered.begin({start});
        if (added != nullptr) tempered.add(*added, makespan);
        tempered.run(200, best);
        CHECK(best.makespan() == bench.simulate(best.points()));
        return found{best.points(), best.makespan(), bench.simulate.simulations};
      };
      const found alone = few(nullptr, 0);
      CHECK(few(&start, first) == alone);
      CHECK(few(&good.cut, first + 1) == alone);  // it is not better, they say
      ++rounds;
      with += few(&good.cut, good.makespan).makespan <= good.makespan * 1.02 ? 1 : 0;
      without += alone.makespan <= good.makespan * 1.02 ? 1 : 0;
    });
  }
  CHECK(rounds == 100);
  CHECK(with > 32);
  CHECK(without < 4);
}

TEST_CASE("chains begin at the cuts in turn") {
  dice random(6);
  std::size_t rounds = 0;
  std::size_t better = 0;
  std::size_t alone = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const chain of = long_chain(random);
    const points start = first_cut(of);
    const found good = search(of, start, 10'000);
    chains::with_workbench(of, [&](auto& bench) {
      const double search_alone = search(of, start, one_step).makespan;
      for (std::size_t place = 0; place < 3; ++place) {
        std::vector<points> starts(3, start);
        starts[place] = good.cut;
        tempering tempered = tempering_of(bench);
        incumbent best(bench.clock, bench.ticks.tick);
        best.offer(start, bench.simulate(start));
        tempered.begin(starts);
        tempered.run(one_step, best);
        CHECK(best.makespan() == bench.simulate(best.points()));
        ++rounds;
        better += best.makespan() <= good.makespan * 1.05 ? 1 : 0;
        alone += search_alone <= good.makespan * 1.05 ? 1 : 0;
      }
    });
  }
  CHECK(rounds == 180);
  CHECK(better > 176);
  CHECK(alone < 10);
}
