// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/domain_bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::domain_bounds;
using stagecut::detail::domain_queue;
using stagecut::detail::load_values;
using stagecut::detail::path_combination_bound;
using stagecut::detail::path_memory;
using stagecut::detail::point_domains;
using stagecut::detail::point_times;
using stagecut::detail::row_bounds;
using stagecut::engine::incumbent;

namespace {

/// Some domains, and up to two limits of loads, which some of these cuts come to.
domain_queue::part random_part(dice& random, const load_values& loads, const std::vector<valued>& all) {
  const points& cut = all[0].second;
  domain_queue::part result{0, chains::random_domains(random, cut.back(), cut.size() - 1), {}, {}};
  for (std::size_t i = random.below(3); i-- > 0;) {
    const std::size_t g = random.below(loads.groups());
    add_limit(result.loads, {g, random.once_in(2), loads.load(g, all[random.below(all.size())].second)});
  }
  return result;
}

bool keeps_to(const domain_queue::part& part, const load_values& loads, const points& cut) {
  const auto kept = [&](const stagecut::detail::load_limit& limit) {
    const double load = loads.load(limit.group, cut);
    return limit.at_most ? load <= limit.load : load >= limit.load;
  };
  return chains::lies_in(part.domains, cut) && std::all_of(part.loads.begin(), part.loads.end(), kept);
}

std::vector<double> row_of(const path_memory& memory, std::size_t row) {
  std::vector<double> result;
  for (std::size_t i = 0; i < memory.rows().length(); ++i) result.push_back(memory.rows().factor(row, i));
  return result;
}

}  // namespace

TEST_CASE("no bound of a part is above its least cut, and no better cut is left out") {
  dice random(1);
  int bounded = 0;
  int left = 0;
  int refuted = 0;
  for (int round = 0; round < 1200; ++round) {
    CAPTURE(round);
    const stagecut::schedule order = chains::several_order(random, 8);
    const chain of = random.once_in(2) ? chains::alike_chain(random, order, 12)
                                       : chains::random_chain(random, order, 11, {true, true, true, false});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      const points& start = all[random.below(all.size())].second;
      best.offer(start, bench.simulate(start));
      domain_bounds bounds(bench.ticks, order, bench.checked, bench.simulate, bench.clock, best);
      for (int again = 0; again < 3; ++again) {
        domain_queue::part part = random_part(random, bounds.loads(), all);
        std::vector<valued> of_part;
        for (const valued& each : all) {
          if (keeps_to(part, bounds.loads(), each.second))
            of_part.push_back({each.first / bench.ticks.tick, each.second});
        }
        if (random.once_in(2)) bounds.combine(part, random.from(1, 40), 2);
        const bool any = bounds.filter(part);
        const std::size_t point = random.from(1, order.stages() - 1);
        const std::size_t place = random.from(part.domains.low[point], part.domains.high[point]);
        bool sound = true;
        for (const valued& each : of_part) {
          sound = sound && (!any || part.bound <= each.first);
          if (each.first > bounds.target()) continue;
          sound = sound && any && chains::lies_in(part.domains, each.second);
          if (!any) continue;
          const double there =
              each.second[point] > place ? bounds.behind(part, point, place) : bounds.up_to(part, point, place);
          sound = sound && there <= each.first;
          ++left;
        }
        CHECK(sound);
        bounded += any && part.bound > 0 ? 1 : 0;
        refuted += any ? 0 : 1;
      }
    });
  }
  CHECK(bounded > 300);
  CHECK(left > 3000);
  CHECK(refuted > 500);
}

TEST_CASE("a combination bounds all cuts by more than each of its paths does") {
  dice random(2);
  int more = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const stagecut::schedule order = chains::several_order(random, 8);
    const chain of = chains::random_chain(random, order, 12, {true, true, false, false});
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      best.offer(all[0].second, bench.simulate(all[0].second));
      domain_bounds bounds(bench.ticks, order, bench.checked, bench.simulate, bench.clock, best);
      domain_queue::part alone{0, point_domains(of.model.size(), order.stages()), {}, {}};
      bounds.learn(all[0].second);
      static_cast<void>(bounds.filter(alone));
      domain_queue::part combined{0, point_domains(of.model.size(), order.stages()), {}, {}};
      bounds.combine(combined, 100, 20);
      CHECK(combined.bound <= all[0].first / bench.ticks.tick);
      more += combined.bound > alone.bound ? 1 : 0;
    });
  }
  CHECK(more > 100);
}

TEST_CASE("paths are kept once, the used stay, and row 0 is whoever's") {
  dice random(1);
  int full = 0;
  int known = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto kind = random.once_in(2) ? chains::schedule_kind::interleaved : chains::schedule_kind::zbv;
    const auto order = stagecut::make_schedule(kind, {.ranks = 4, .stages_per_rank = 2, .microbatches = 8});
    const chain of = chains::random_chain(random, order, 14, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const point_times times(bench.ticks);
      row_bounds bounds(times);
      const path_combination_bound game(bounds);
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
