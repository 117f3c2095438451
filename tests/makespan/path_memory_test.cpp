// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/path_memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "domain_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::detail::path_game;
using stagecut::detail::path_memory;
using stagecut::detail::point_domains;
using stagecut::detail::point_times;
using stagecut::detail::row_bounds;

namespace {

std::vector<double> row_of(const path_memory& memory, std::size_t row) {
  std::vector<double> result;
  for (std::size_t i = 0; i < memory.rows().length(); ++i) result.push_back(memory.rows().factor(row, i));
  return result;
}

}  // namespace

TEST_CASE("paths are kept once, the used stay, and row 0 is whoever's") {
  dice random(1);
  int full = 0;
  int known = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto kind = random.once_in(2) ? chains::schedule_kind::interleaved : chains::schedule_kind::zbv;
    const auto order = stagecut::make_schedule(kind, {.ranks = 4, .chunks = 2, .microbatches = 8});
    const chain of = chains::random_chain(random, order, 14, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const point_times times(bench.ticks);
      row_bounds bounds(times);
      const path_game game(bounds);
      path_memory memory(times);
      CHECK(memory.rows().size() == 1);
      const std::vector<double> none(memory.rows().length());
      CHECK(row_of(memory, 0) == none);
      const auto cuts = chains::cuts_of(point_domains(bench.ticks.items, bench.ticks.stages), bench.ticks.items);
      std::set<std::vector<double>> kept;
      std::vector<double> counts;
      std::vector<double> factors;
      std::vector<double> favourite;
      std::size_t used = 0;
      bool sound = true;
      for (int step = 0; step < 500; ++step) {
        const auto& cut = cuts[random.below(cuts.size())];
        const double makespan = bench.simulate(cut);
        bench.simulate.count_critical(counts);
        times.factors(counts, factors);
        const std::size_t place = memory.keep(bench.simulate, game);
        sound = sound && (place == 0) == (kept.count(factors) == 1);
        if (place == 0) {
          ++known;
          continue;
        }
        sound = sound && row_of(memory, place) == factors && memory.rows().length(place, cut) == makespan;
        if (used == 0) used = place, favourite = factors;
        memory.use(used);
        sound = sound && memory.rows().size() <= path_memory::most && row_of(memory, used) == favourite;
        if (memory.rows().size() == path_memory::most) ++full;
        kept.clear();
        for (std::size_t r = 1; r < memory.rows().size(); ++r) kept.insert(row_of(memory, r));
        sound = sound && kept.size() + 1 == memory.rows().size();
      }
      CHECK(sound);
      memory.set_combination(favourite);
      CHECK(row_of(memory, 0) == favourite);
      CHECK(row_of(memory, used) == favourite);
      memory.set_combination({});
      CHECK(row_of(memory, 0) == none);
    });
  }
  CHECK(full > 100);
  CHECK(known > 1000);
}
