// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/cut_simulator.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_kinds;
using stagecut::engine::tick_message;
using stagecut::engine::tick_w;

namespace {

/// How long a path is for a cut.
template <class Ticks>
double length_of(const Ticks& ticks, const std::vector<double>& counts, const points& cut) {
  double sum = 0;
  for (std::size_t s = 0; s < ticks.stages; ++s) {
    const double* const here = counts.data() + s * engine::tick_kinds;
    for (const auto kind : {engine::tick_f, engine::tick_b, engine::tick_w})
      sum += here[kind] * ticks.pass(kind, s, cut[s], cut[s + 1]);
    if (s + 1 < ticks.stages) sum += here[engine::tick_message] * ticks.message(s, cut[s + 1]);
  }
  return sum;
}

}  // namespace

TEST_CASE("what is simulated, and what is on a critical path, under any order") {
  dice random(1);
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    schedule order = chains::random_order(random, kind, {9, 4, 8});
    if (random.once_in(3)) {
      order = oracle::random_schedule(random, static_cast<oracle::written_transfers>(random.below(2)), true);
    }
    if (order.stages() > 9) continue;
    const chain of = chains::random_chain(random, order, 9, {true, true, false, false});
    const auto all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      bool sound = true;
      std::vector<double> counts;
      for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 5) {
        const double makespan = bench.simulate(all[i].second);
        sound = sound && makespan * bench.ticks.tick == all[i].first;
        bench.simulate.count_critical(counts);
        sound = sound && counts.size() == order.stages() * engine::tick_kinds;
        sound = sound && length_of(bench.ticks, counts, all[i].second) == makespan;
        // The same path is there whatever the cut.
        for (const auto& [other, cut] : all) {
          sound = sound && length_of(bench.ticks, counts, cut) * bench.ticks.tick <= other;
        }
      }
      CHECK(sound);
    });
  }
}

TEST_CASE("the times of a cut, and of several together") {
  dice random(2);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    const auto all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      std::vector<double> sums(bench.ticks.stages * engine::tick_kinds);
      std::vector<double> counts;
      double most = 0;
      for (int some = 0; some < 3; ++some) {
        const points& cut = all[random.below(all.size())].second;
        std::vector<double> times(sums.size());
        for (std::size_t s = 0; s < bench.ticks.stages; ++s) {
          for (const auto each : {engine::tick_f, engine::tick_b, engine::tick_w}) {
            times[s * engine::tick_kinds + each] = bench.ticks.pass(each, s, cut[s], cut[s + 1]);
          }
          times[s * engine::tick_kinds + engine::tick_message] = bench.ticks.message(s, cut[s + 1]);
        }
        most += bench.simulate(cut);
        CHECK(bench.simulate.of_times(times) == bench.simulate(cut));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += times[i];
      }
      const double together = bench.simulate.of_times(sums);
      CHECK(together <= most);
      bench.simulate.count_critical(counts);
      double length = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) length += counts[i] * sums[i];
      CHECK(length == together);
    });
  }
}

TEST_CASE("simulations are counted") {
  chain of{chains::layers({1, 2, 3}, {1, 2, 3}, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = 2, .microbatches = 3});
  chains::with_workbench(of, [&](auto& bench) {
    CHECK(bench.simulate.simulations == 0);
    CHECK(bench.simulate(points{0, 1, 3}) * bench.ticks.tick == (1 + 5 * 3) * 2);
    CHECK(bench.simulate(points{0, 2, 3}) * bench.ticks.tick == (3 * 3 + 3) * 2);
    CHECK(bench.simulate.simulations == 2);
  });
}

TEST_CASE("before rounding, makespans are those of the times as they were told") {
  dice random(3);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::rough_chain(random, chains::random_order(random, kind, {7, 3, 5}), 7);
    const auto all = chains::all_cuts<double>(of);
    chains::with_workbench(of, [&](auto& bench) {
      bool same = true;
      for (const auto& [makespan, cut] : all) {
        same = same && std::abs(bench.simulate.unrounded(cut) - makespan) <= 1e-13 * makespan;
      }
      CHECK(same);
    });
  }
  const chain huge{chains::layers({1e308, 1e308, 1}, {1, 1, 1}, {}, {}), {}, {}, {}};
  chain of = huge;
  of.request.schedule = chains::random_order(random, schedule_kind::gpipe, {1, 1, 1});
  chains::with_workbench(of, [&](auto& bench) {
    CHECK(bench.simulate.unrounded(points{0, 3}) == std::numeric_limits<double>::infinity());
  });
}
