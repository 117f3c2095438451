// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/primal_heuristics.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::heuristic_call;
using stagecut::schedule_kind;
using stagecut::view;
using stagecut::detail::primal_heuristics;
using stagecut::engine::incumbent;

namespace {

template <class Bench>
primal_heuristics improve_of(Bench& bench, incumbent& best) {
  return {bench.ticks, bench.request, bench.checked, bench.simulate, bench.clock, best};
}

/// `items` items under GPipe.
chain simple_chain(std::size_t items, std::size_t stages) {
  std::vector<double> times(items);
  for (std::size_t i = 0; i < items; ++i) times[i] = static_cast<double>(1 + i * i % 7);
  chain of{chains::layers(times, times, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = stages, .microbatches = 4});
  of.request.search.time_limit.reset();
  return of;
}

/// `stages` stages, all minimal except the last.
points first_cut(std::size_t items, std::size_t stages) {
  points result;
  for (std::size_t s = 0; s < stages; ++s) result.push_back(s);
  result.push_back(items);
  return result;
}

}  // namespace

TEST_CASE("how many ways there are to cut a chain") {
  for (std::size_t items = 1; items <= 12; ++items) {
    for (std::size_t stages = 1; stages <= items; ++stages) {
      CAPTURE(items);
      CAPTURE(stages);
      const chain of = simple_chain(items, stages);
      std::size_t cuts = 0;
      chains::each_cut(items, stages, [&](const points&) { ++cuts; });
      chains::with_workbench(of, [&](auto& bench) {
        incumbent best(bench.clock, bench.ticks.tick);
        const double told = improve_of(bench, best).number_of_cuts();
        CHECK(std::abs(told - static_cast<double>(cuts)) < 1e-9 * told);
      });
    }
  }
  const chain of = simple_chain(1200, 600);
  chains::with_workbench(of, [&](auto& bench) {
    incumbent best(bench.clock, bench.ticks.tick);
    CHECK(improve_of(bench, best).number_of_cuts() == std::numeric_limits<double>::infinity());
  });
}

TEST_CASE("nothing is done where nothing can be better, or nothing is to be done") {
  std::size_t asked = 0;
  const auto heuristic = [&](const heuristic_call&, view<std::size_t>) { return ++asked, false; };
  const auto try_both = [&](const chain& of, std::size_t effort, double bound) {
    std::size_t simulations = 0;
    for (const bool own : {true, false}) {
      chain asking = of;
      if (!own) asking.request.backends.heuristic = std::ref(heuristic);
      chains::with_workbench(asking, [&](auto& bench) {
        incumbent best(bench.clock, bench.ticks.tick);
        const points start = first_cut(of.model.size(), of.request.schedule.stages());
        best.offer(start, bench.simulate(start));
        best.raise(bound);
        auto improve = improve_of(bench, best);
        improve(effort);
        CHECK(best.any());
        simulations += bench.simulate.simulations - 1;
      });
    }
    return simulations;
  };
  CHECK(try_both(simple_chain(9, 4), 0, 0) == 0);
  CHECK(try_both(simple_chain(9, 1), 5, 0) == 0);
  CHECK(try_both(simple_chain(9, 9), 5, 0) == 0);
  CHECK(try_both(simple_chain(9, 4), 5, 1e300) == 0);
  chain late = simple_chain(9, 4);
  late.request.search.node_limit = 0;
  CHECK(try_both(late, 5, 0) == 0);
  CHECK(asked == 0);
  CHECK(try_both(simple_chain(9, 4), 1, 0) > 0);
  CHECK(asked == 1);
}

TEST_CASE("it finds better cuts by itself, mostly the best, and looks at no more than there are, a few times") {
  dice random(1);
  std::size_t rounds = 0;
  std::size_t optimal = 0;
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {9, 4, 8});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.size() < 3) continue;
    std::map<points, double> makespans;
    for (const auto& [makespan, cut] : all) makespans[cut] = makespan;
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all.back().second, bench.simulate(all.back().second));
      auto improve = improve_of(bench, best);
      for (int turn = 0; turn < 4; ++turn) {
        const std::size_t before = bench.simulate.simulations;
        const double makespan = best.makespan();
        if (turn == 3) improve.restart();
        improve(1);
        CHECK(best.makespan() <= makespan);
        CHECK(makespans.at(best.points()) == best.makespan() * bench.ticks.tick);
        CHECK(bench.clock.state.evaluations == bench.simulate.simulations);
        CHECK(static_cast<double>(bench.simulate.simulations - before) <= 4 * improve.number_of_cuts() + 64);
      }
      ++rounds;
      optimal += makespans.at(best.points()) == all[0].first ? 1 : 0;
    });
  }
  CHECK(rounds == 71);
  CHECK(optimal >= 70);  // of them
}

TEST_CASE("more effort, more cuts") {
  const chain of = simple_chain(60, 12);
  chains::with_workbench(of, [&](auto& bench) {
    const points start = first_cut(60, 12);
    std::size_t simulations[2];
    for (std::size_t effort = 1; effort <= 2; ++effort) {
      bench.simulate.simulations = 0;
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(start, bench.simulate(start));
      improve_of(bench, best)(effort);
      simulations[effort - 1] = bench.simulate.simulations;
    }
    CHECK(simulations[0] > 500);
    CHECK(simulations[1] > simulations[0] * 3 / 2);
    CHECK(simulations[1] < simulations[0] * 5 / 2);
  });
}

TEST_CASE("it begins with the cuts that it was given, and goes on from a better one") {
  constexpr std::size_t stages = 16;
  chain of{chains::layers(std::vector<double>(160, 1), std::vector<double>(160, 1), {}, {}), {}, {}, {}};
  // So many passes that few cuts are looked at.
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = stages, .microbatches = 2000});
  of.request.search.time_limit.reset();
  points near;  // the even cut is best
  for (std::size_t s = 0; s <= stages; ++s) near.push_back(s == 3 ? 33 : 10 * s);
  const points start = first_cut(160, stages);
  chains::with_workbench(of, [&](auto& bench) {
    const double good = bench.simulate(near);
    const auto from = [&](const std::vector<points>& starts, const points* later) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(start, bench.simulate(start));
      auto improve = improve_of(bench, best);
      improve.starts = starts;
      improve(1);
      if (later == nullptr) return best.makespan();
      best.offer(*later, good);
      for (int turn = 0; turn < 10; ++turn) improve(1);
      return best.makespan();
    };
    CHECK(from({}, nullptr) > 1.3 * good);
    CHECK(from({near}, nullptr) < 1.02 * good);
    CHECK(from({start, near}, nullptr) < 1.02 * good);
    CHECK(from({}, &near) < good);
  });
}

TEST_CASE("a heuristic is asked with what is known") {
  struct asked {
    points cut;
    heuristic_call task;
  };
  std::vector<asked> all;
  const auto heuristic = [&](const heuristic_call& task, view<std::size_t> cut) {
    all.push_back({{task.points.begin(), task.points.end()}, task});
    CHECK(points(cut.begin(), cut.end()) == all.back().cut);
    return false;
  };
  chain of = simple_chain(12, 4);
  of.request.backends.heuristic = std::ref(heuristic);
  const points start{0, 2, 5, 9, 12};
  const auto ask = [&](std::size_t effort, double share, double error) {
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick, error);
      best.offer(start, bench.simulate(start));
      best.raise(share * best.makespan());
      improve_of(bench, best)(effort);
      REQUIRE(!all.empty());
      CHECK(all.back().cut == start);
      CHECK(all.back().task.value == best.makespan() * bench.ticks.tick);
      CHECK(all.back().task.goal == best.certain_bound());
      CHECK(bench.simulate.simulations == 1);
    });
    return all.back().task;
  };
  CHECK(ask(3, 0, 0).seconds == std::numeric_limits<double>::infinity());
  CHECK(ask(3, 0.5, 0).goal > 5);
  const double goal = ask(3, 0.5, 0).goal;
  CHECK(ask(3, 0.5, 0.5).goal == goal - 0.5);  // rounding may have made the bound greater
  const std::size_t simulations = ask(1, 0, 0).simulations;
  CHECK(simulations >= 500);
  CHECK(simulations <= 16'000);
  CHECK(ask(7, 0, 0).simulations == 7 * simulations);
  of.request.search.time_limit = 100;
  CHECK(ask(3, 0, 0).seconds == 0.03);
  const double left = ask(100'000, 0, 0).seconds;
  CHECK(left <= 100);
  CHECK(left > 50);
}

TEST_CASE("what a heuristic says is taken if it is a cut, allowed and better, and left otherwise") {
  dice random(2);
  std::size_t taken = 0;
  std::size_t left = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {7, 4, 6});
    if (order.stages() < 2) continue;
    chain of = chains::random_chain(random, order, 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    const std::size_t n = of.model.size();
    if (all.empty() || n == order.stages()) continue;
    std::map<points, double> makespans;
    for (const auto& [makespan, cut] : all) makespans[cut] = makespan;
    points said;
    bool says = true;
    const auto heuristic = [&](const heuristic_call&, view<std::size_t> cut) {
      CHECK(cut.size() == said.size());
      std::copy(said.begin(), said.end(), cut.begin());
      return says;
    };
    of.request.backends.heuristic = std::ref(heuristic);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all.back().second, bench.simulate(all.back().second));
      auto improve = improve_of(bench, best);
      const auto tell = [&](const points& cut) {
        said = cut;
        const points before = best.points();
        improve(1);
        const bool better = says && makespans.count(cut) != 0 && makespans.at(cut) < makespans.at(before);
        CHECK(best.points() == (better ? cut : before));
        CHECK(best.makespan() * bench.ticks.tick == makespans.at(best.points()));
        ++(better ? taken : left);
      };
      says = false;
      tell(all[0].second);
      says = true;
      for (int turn = 0; turn < 30; ++turn) {
        points lie = all[random.below(all.size())].second;
        const std::size_t place = random.below(lie.size());
        switch (random.below(4)) {
          case 0: lie[place] = random.below(n + 2); break;
          case 1: std::swap(lie[place], lie[random.below(lie.size())]); break;
          case 2: lie[place] = ~std::size_t{0} - random.below(3); break;
          default: break;
        }
        tell(lie);
      }
      chains::each_cut(n, order.stages(), [&](const points& cut) { tell(cut); });
      CHECK(best.makespan() * bench.ticks.tick == all[0].first);
    });
  }
  CHECK(taken > 200);
  CHECK(left > 5000);
}
