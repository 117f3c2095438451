// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/tempering.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "domain_chains.hpp"
#include "memory_chains.hpp"
#include "random_chains.hpp"
#include "tempering_chains.hpp"

using chains::chain;
using chains::dice;
using chains::first_cut;
using chains::long_chain;
using chains::points;
using chains::some_chain;
using chains::table_rules;
using chains::valued;
using oracle::dice;
using stagecut::detail::cut_moves;
using stagecut::detail::memory_excess;
using stagecut::detail::random_bits;
using stagecut::detail::tempering;
using stagecut::engine::incumbent;
using stagecut::schedule;
using stagecut::schedule_kind;

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
  return tempering(bench.ticks, bench.request.schedule, bench.checked, bench.simulate, bench.clock);
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
    result = {best.points(), best.makespan(), bench.clock.state.evaluations};
  });
  return result;
}

/// Whether what a move says that it changed covers all that differs.
bool covers(const cut_moves::changed& stages, const points& before, const points& now) {
  const std::size_t count = now.size() - 1;
  for (int run = 0; run < 2; ++run) {
    if (stages.first[run] > stages.last[run] || stages.last[run] > count) return false;
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (before[s] == now[s] && before[s + 1] == now[s + 1]) continue;
    const bool said = (stages.first[0] <= s && s < stages.last[0]) || (stages.first[1] <= s && s < stages.last[1]);
    if (!said) return false;
  }
  return true;
}

/// The cuts that differ from one by one step of one point.
std::vector<points> neighbours(const points& cut) {
  std::vector<points> result;
  for (std::size_t i = 1; i + 1 < cut.size(); ++i) {
    for (const bool left : {true, false}) {
      points other = cut;
      other[i] = left ? cut[i] - 1 : cut[i] + 1;
      result.push_back(other);
    }
  }
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
        CHECK(found{best.points(), best.makespan(), bench.clock.state.evaluations} == once);
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
    of.request.search.node_limit = 0;
    const found none = search(of, start, 20'000);
    CHECK(none.simulations == 1);
    CHECK(none.cut == start);
    of.request.search.node_limit.reset();
    int asked = 0;
    const auto stop = [&] { return ++asked > 2; };
    of.request.search.stop = stop;
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

TEST_CASE("a move ends at an allowed cut, tells what changed, and is undone if refused") {
  dice random(1);
  std::size_t taken = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {9, 4, 8});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 11, {});
    const auto all = chains::all_cuts(of);
    std::set<points> allowed;
    for (const auto& each : all) allowed.insert(each.second);
    if (allowed.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.schedule, bench.checked);
      points cut = all[random.below(all.size())].second;
      bool sound = true;
      for (std::uint64_t step = 0; step < 300; ++step) {
        const points before = cut;
        cut_moves::changed stages{};
        random_bits bits(5, static_cast<std::uint64_t>(round), step);
        const bool moved = moves(cut, bits, stages);
        ++(moved ? taken : refused);
        sound = sound && (moved ? allowed.count(cut) == 1 && covers(stages, before, cut) : cut == before);
      }
      CHECK(sound);
    });
  }
  CHECK(taken > 5000);
  CHECK(refused > 5000);
}

TEST_CASE("without memory, a move ends at a cut that would be allowed if there were room") {
  dice random(7);
  int beyond = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const auto order = chains::several_order(random, 8);
    chain of = chains::random_chain(random, order, 11, {true, true, true, true});
    const auto all = chains::all_cuts(of);
    if (all.empty() || !of.request.memory_limit.for_all() || order.stages() < 2) continue;
    chain roomy = of;
    roomy.request.memory_limit = {};
    std::set<points> allowed;
    for (const auto& each : chains::all_cuts(roomy)) allowed.insert(each.second);
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.schedule, bench.checked, true);
      points cut = all[0].second;
      bool sound = true;
      for (std::uint64_t step = 0; step < 300; ++step) {
        cut_moves::changed stages{};
        random_bits bits(8, static_cast<std::uint64_t>(round), step);
        (void)moves(cut, bits, stages);
        sound = sound && allowed.count(cut) == 1;
        beyond += stagecut::engine::allowed_cut(of.request.schedule, bench.checked, cut) ? 0 : 1;
      }
      CHECK(sound);
    });
  }
  CHECK(beyond > 200);
}

TEST_CASE("every neighbour is reached, and every allowed cut where points are free") {
  dice random(2);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {6, 3, 6});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 8, {true, true, round % 2 == 0, round % 2 == 0});
    const auto all = chains::all_cuts(of);
    if (all.empty()) continue;
    std::set<points> allowed;
    for (const auto& each : all) allowed.insert(each.second);
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.schedule, bench.checked);
      cut_moves::changed stages{};
      const points start = all[random.below(all.size())].second;
      std::set<points> from_start;
      std::set<points> walked;
      points walker = start;
      for (std::uint64_t step = 0; step < 3000; ++step) {
        random_bits bits(6, 1, step);
        points cut = start;
        if (moves(cut, bits, stages)) from_start.insert(cut);
        if (moves(walker, bits, stages)) walked.insert(walker);
      }
      for (const points& neighbour : neighbours(start)) CHECK(from_start.count(neighbour) == allowed.count(neighbour));
      if (round % 2 != 0 && allowed.size() > 1) CHECK(walked == allowed);
    });
  }
}

TEST_CASE("long runs go together, and a step is at most three items for each of two runs") {
  const std::size_t stages = 16;
  chain of{chains::layers(std::vector<double>(160, 1), std::vector<double>(160, 1), {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = stages, .microbatches = 2});
  points start(stages + 1);
  for (std::size_t s = 0; s <= stages; ++s) start[s] = 10 * s;
  std::set<std::size_t> lengths;
  std::map<std::ptrdiff_t, std::size_t> steps;
  chains::with_workbench(of, [&](auto& bench) {
    const cut_moves moves(of.request.schedule, bench.checked);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      random_bits bits(7, 0, step);
      cut_moves::changed changed{};
      points cut = start;
      if (!moves(cut, bits, changed)) continue;
      CHECK(covers(changed, start, cut));
      std::size_t length = 0;
      for (std::size_t i = 1; i < stages; ++i) {
        const auto by = static_cast<std::ptrdiff_t>(cut[i]) - static_cast<std::ptrdiff_t>(start[i]);
        if (by != 0) ++length;
        ++steps[by];
      }
      if (changed.last[1] == 0) lengths.insert(length);
    }
  });
  CHECK(lengths.size() == stages - 1);
  CHECK(*lengths.begin() == 1);
  for (const std::ptrdiff_t by : {-6, -3, -2, -1, 1, 2, 3, 6}) CHECK(steps[by] > 0);
  CHECK(steps.begin()->first == -6);
  CHECK(steps.rbegin()->first == 6);
  CHECK(steps[1] > 3 * steps[2]);
}

TEST_CASE("another stage of the same rank often moves too, to either side") {
  const std::size_t ranks = 4;
  chain of{chains::layers(std::vector<double>(80, 1), std::vector<double>(80, 1), {}, {}), {}, {}, {}};
  of.request.schedule =
      stagecut::make_schedule(schedule_kind::interleaved, {.ranks = ranks, .stages_per_rank = 2, .microbatches = 4});
  points start(2 * ranks + 1);
  for (std::size_t s = 0; s < start.size(); ++s) start[s] = 10 * s;
  std::size_t of_two = 0;
  std::size_t of_a_rank = 0;
  std::set<std::pair<std::size_t, int>> ways;  // the first stage, and where the two go
  chains::with_workbench(of, [&](auto& bench) {
    const cut_moves moves(of.request.schedule, bench.checked);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      random_bits bits(8, 0, step);
      cut_moves::changed changed{};
      points cut = start;
      if (!moves(cut, bits, changed) || changed.last[1] == 0) continue;
      if (changed.last[0] - changed.first[0] != 2 || changed.last[1] - changed.first[1] != 2) continue;
      const std::size_t low = std::min(changed.first[0], changed.first[1]) + 1;
      const std::size_t high = std::max(changed.first[0], changed.first[1]) + 1;
      if (low == high) continue;
      ++of_two;
      if (high != low + ranks) continue;
      ++of_a_rank;
      ways.insert({low, (cut[low] < start[low] ? 1 : 0) + (cut[high] < start[high] ? 2 : 0)});
    }
  });
  CHECK(of_two > 500);
  CHECK(of_a_rank * 3 > of_two);  // a seventh of the pairs are of one rank
  CHECK(ways.size() == 4 * (ranks - 1));
}

TEST_CASE("what ranks hold too much, after any change of some stages; nothing where they have room") {
  dice random(1);
  int above = 0;
  int room = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const schedule order = chains::placement(random, random.from(1, 3), random.from(2, 3));
    const std::size_t items = random.from(order.stages(), 12);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    rules->limit = static_cast<double>(random.from(5, 60));
    const memory_excess excess(order, *rules);
    CHECK(excess.applies());
    std::vector<double> kept;
    points last;
    bool same = true;
    chains::each_cut(items, order.stages(), [&](const points& cut) {
      std::vector<double> expected;
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        double most = rules->limit;
        for (const auto& moment : rules->held[r]) {
          double sum = 0;
          for (std::size_t j = 0; j < moment.size(); ++j) {
            const std::size_t s = rules->stages[r][j];
            sum += rules->of(s, cut[s], cut[s + 1], moment[j]);
          }
          most = std::max(most, sum);
        }
        expected.push_back(most / rules->limit - 1);
        (expected.back() > 0 ? above : room) += 1;
      }
      if (last.empty()) {
        excess.measure(cut, kept);
      } else {
        std::size_t first = 0;
        while (first < order.stages() && last[first] == cut[first] && last[first + 1] == cut[first + 1]) ++first;
        excess.change(cut, first, order.stages(), kept);
      }
      last = cut;
      same = same && kept == expected;
    });
    CHECK(same);
  }
  CHECK(above > 1000);
  CHECK(room > 1000);
}

TEST_CASE("rules that are no sums of memory are left alone") {
  dice random(2);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 6));
  rules->limit = 0;
  CHECK_FALSE(memory_excess(order, *rules).applies());
  rules->limit = 10;
  rules->sums = false;
  CHECK_FALSE(memory_excess(order, *rules).applies());
}
