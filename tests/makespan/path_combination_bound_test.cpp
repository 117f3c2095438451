// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/path_combination_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "domain_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::detail::path_combination_bound;
using stagecut::detail::point_domains;
using stagecut::detail::point_rows;
using stagecut::detail::point_times;
using stagecut::detail::row_bounds;
using stagecut::engine::no_ticks;

namespace {

/// Whether weights are whole multiples of 2^-30, not negative, and 1 in sum.
bool are_shares(const path_combination_bound& game, std::size_t rows) {
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const double here = game.weight(r);
    if (here < 0 || here * 0x1p30 != std::floor(here * 0x1p30)) return false;
    sum += here;
  }
  return sum == 1;
}

/// Whether all cuts of a game differ and lie in the domains.
bool are_cuts(const path_combination_bound& game, const point_domains& domains) {
  for (const points& cut : game.cuts) {
    if (!chains::lies_in(domains, cut)) return false;
  }
  return std::set<points>(game.cuts.begin(), game.cuts.end()).size() == game.cuts.size();
}

}  // namespace

TEST_CASE("combinations of critical paths bound all cuts of domains, mostly better than each path does") {
  dice random(1);
  int better = 0;
  int worse = 0;
  for (int round = 0; round < 700; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 12, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const std::size_t n = bench.ticks.items;
      const point_times times(bench.ticks);
      const double margin = times.margin(of.request.schedule.microbatches * of.request.schedule.slices);
      row_bounds bounds(times);
      path_combination_bound game(bounds);
      const point_rows none(times);
      point_rows rows =
          chains::rows_of(times, {std::vector<double>(bench.ticks.stages * stagecut::engine::tick_kinds)});
      point_domains domains(n, bench.ticks.stages);
      for (int part = 0; part < 3; ++part) {
        const std::vector<points> before = game.cuts;
        const auto cuts = chains::cuts_of(domains, n);
        game.begin(rows, none, domains, 0);
        CHECK(std::count_if(before.begin(), before.end(), [&](auto& each) { return chains::lies_in(domains, each); }) ==
              static_cast<std::ptrdiff_t>(game.cuts.size()));
        CHECK(are_cuts(game, domains));
        double least = no_ticks;
        for (const points& cut : cuts) least = std::min(least, bench.simulate(cut));
        bool sound = true;
        std::vector<double> counts;
        std::vector<double> factors;
        points where;
        for (int step = 0; step < 60; ++step) {
          const double last = game.bound;
          if (game.step(rows, domains)) {
            bench.simulate(game.cuts.back());
            bench.simulate.count_critical(counts);
            times.factors(counts, factors);
            const std::size_t place = rows.size() < 10 ? rows.size() : random.from(1, 9);
            sound = sound && are_shares(game, rows.size());
            rows.set(place, factors);
            game.update(rows, place);
          } else {
            sound = sound && are_shares(game, rows.size());
          }
          sound = sound && game.bound >= last && game.bound - margin <= least;
          sound = sound && bounds.least(game.factors, domains, where) == game.bound;
        }
        CHECK(sound);
        CHECK(are_cuts(game, domains));
        double sum = 0;
        for (const double weight : game.cut_weights()) sum += weight;
        CHECK(std::abs(sum - 1) < 1e-12);
        double single = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          double here = no_ticks;
          for (const points& cut : cuts) here = std::min(here, rows.length(r, cut));
          single = std::max(single, here);
        }
        if (game.bound > single + margin) ++better;
        if (game.bound < 0.98 * single) ++worse;
        domains = chains::random_domains(random, n, bench.ticks.stages);
        (void)domains.tighten();
      }
    });
  }
  CHECK(better > 500);
  CHECK(worse < 100);
}

TEST_CASE("of two paths of which one is long where the other is short, half of each") {
  chain of{chains::layers({4, 4, 4, 4}, {0, 0, 0, 0}, {}, {}), {}, {}, {}};
  of.request.schedule =
      stagecut::make_schedule(chains::schedule_kind::interleaved, {.ranks = 1, .stages_per_rank = 2, .microbatches = 1});
  chains::with_workbench(of, [&](auto& bench) {
    using namespace stagecut::detail;
    const point_times times(bench.ticks);
    std::vector<double> first(2 * engine::tick_kinds);
    std::vector<double> second(2 * engine::tick_kinds);
    first[engine::tick_f] = 2;
    second[engine::tick_kinds + engine::tick_f] = 2;
    const point_rows rows = chains::rows_of(times, {first, second});
    row_bounds bounds(times);
    path_combination_bound game(bounds);
    const point_rows none(times);
    const point_domains domains(4, 2);
    game.begin(rows, none, domains, 0);
    for (int step = 0; step < 300; ++step) (void)game.step(rows, domains);
    CHECK(game.bound * bench.ticks.tick > 15.9);  // either alone gives 8
    CHECK(game.bound * bench.ticks.tick <= 16);
  });
}

TEST_CASE("many cuts: those that count least are given up, and the bound comes near the value of the game") {
  dice random(3);
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const auto order =
        stagecut::make_schedule(chains::schedule_kind::interleaved, {.ranks = 4, .stages_per_rank = 4, .microbatches = 4});
    const chain of = chains::random_chain(random, order, 40, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const point_times times(bench.ticks);
      const double margin = times.margin(4);
      row_bounds bounds(times);
      path_combination_bound game(bounds);
      const point_rows none(times);
      const point_domains domains(bench.ticks.items, bench.ticks.stages);
      point_rows rows = chains::rows_of(times, {std::vector<double>(16 * stagecut::engine::tick_kinds)});
      game.begin(rows, none, domains, 0);
      std::vector<double> counts;
      std::vector<double> factors;
      double least = no_ticks;
      bool sound = true;
      for (int step = 0; step < 300; ++step) {
        if (game.step(rows, domains)) {
          least = std::min(least, bench.simulate(game.cuts.back()));
          bench.simulate.count_critical(counts);
          times.factors(counts, factors);
          const std::size_t place = rows.size() < 60 ? rows.size() : random.from(1, 59);
          rows.set(place, factors);
          game.update(rows, place);
        }
        most = std::max(most, game.cuts.size());
        sound = sound && game.bound - margin <= least && game.cuts.size() <= 80;
      }
      CHECK(sound);
      CHECK(are_cuts(game, domains));
      CHECK(game.bound > 0.5 * least);
    });
  }
  CHECK(most == 80);
}

TEST_CASE("with limits the bound is one for the cuts that keep to them, and above that for all") {
  dice random(4);
  int higher = 0;
  int refuted = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 6), 12, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      using namespace stagecut::detail;
      const point_times times(bench.ticks);
      const double margin = times.margin(of.request.schedule.microbatches * of.request.schedule.slices);
      const point_domains domains(bench.ticks.items, bench.ticks.stages);
      const auto cuts = chains::cuts_of(domains, bench.ticks.items);
      // Paths that are to be no longer than in some cut.
      point_rows limits(times);
      std::vector<double> factors;
      const auto paths = chains::some_paths(random, bench, cuts, random.from(1, 10));
      const points& kept = cuts[random.below(cuts.size())];
      for (const auto& path : paths) {
        times.factors(path, factors);
        factors[0] -= chains::length_of(bench.ticks, path, kept) - (random.once_in(20) ? bench.simulate(kept) : 0);
        limits.set(limits.size(), factors);
      }
      double least = no_ticks;
      double any = no_ticks;
      for (const points& cut : cuts) {
        const double makespan = bench.simulate(cut);
        any = std::min(any, makespan);
        bool keeps = true;
        for (std::size_t k = 0; k < limits.size(); ++k) keeps = keeps && limits.length(k, cut) <= 0;
        if (keeps) least = std::min(least, makespan);
      }
      row_bounds bounds(times);
      path_combination_bound game(bounds);
      point_rows rows = chains::rows_of(times, {std::vector<double>(bench.ticks.stages * engine::tick_kinds)});
      game.begin(rows, limits, domains, 0);
      bool sound = true;
      std::vector<double> counts;
      for (int step = 0; step < 120; ++step) {
        if (game.step(rows, domains)) {
          bench.simulate(game.cuts.back());
          bench.simulate.count_critical(counts);
          times.factors(counts, factors);
          rows.set(rows.size(), factors);
          game.update(rows, rows.size() - 1);
        }
        sound = sound && are_shares(game, rows.size()) && game.priced >= 0 && game.priced <= 128;
        sound = sound && (least == no_ticks || game.bound - margin * (1 + game.priced) <= least);
      }
      CHECK(sound);
      CHECK(are_cuts(game, domains));
      higher += least < no_ticks && game.bound > any + margin * (1 + game.priced) ? 1 : 0;
      refuted += least == no_ticks && game.bound > 1.5 * any ? 1 : 0;
    });
  }
  CHECK(higher > 20);
  CHECK(refuted > 10);
}
