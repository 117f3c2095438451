// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/rank_loads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::held_memory;
using stagecut::detail::load_limit;
using stagecut::detail::load_range;
using stagecut::detail::load_split;
using stagecut::detail::load_values;
using stagecut::detail::point_times;
using stagecut::detail::rank_loads;
using stagecut::detail::stage_loads;

namespace {

/// Calls `check(bench, loads, ranks, all)` with all cuts of a chain that are allowed.
template <class Check>
void with_ranks(const chain& of, const Check& check) {
  const std::vector<valued> all = chains::all_cuts(of);
  if (all.empty()) return;
  chains::with_workbench(of, [&](auto& bench) {
    const stagecut::schedule& order = of.request.schedule;
    std::vector<valued> in_ticks;
    for (const valued& each : all) in_ticks.push_back({each.first / bench.ticks.tick, each.second});
    const held_memory held(order, bench.checked, bench.ticks.items, in_ticks[0].first, bench.clock);
    const point_times times(bench.ticks, &held);
    const load_values loads(bench.ticks, order, held);
    const auto passes = static_cast<double>(order.microbatches * order.slices);
    rank_loads ranks(bench.ticks, order, times, loads, passes, bench.simulate);
    check(loads, ranks, passes, in_ticks);
  });
}

/// The minimum of each rank's rest over these cuts.
std::vector<double> least_rests(const rank_loads& ranks, const std::vector<valued>& all) {
  std::vector<double> result(ranks.rests().size(), all[0].first);
  for (std::size_t r = 0; r < result.size(); ++r) {
    for (const valued& each : all) result[r] = std::min(result[r], ranks.rests().length(r, each.second));
  }
  return result;
}

bool keeps_to(const std::vector<load_limit>& limits, const load_values& loads, const points& cut) {
  return std::all_of(limits.begin(), limits.end(), [&](const load_limit& limit) {
    const double load = loads.load(limit.group, cut);
    return limit.at_most ? load <= limit.load : load >= limit.load;
  });
}

/// The limits of a group.
load_range limits_of(const std::vector<load_limit>& limits, std::size_t group) {
  load_range result{0, 1e18};
  for (const load_limit& limit : limits) {
    if (limit.group != group) continue;
    if (limit.at_most) result.high = std::min(result.high, limit.load);
    if (!limit.at_most) result.low = std::max(result.low, limit.load);
  }
  return result;
}

/// Goes through all choices of loads for the stages of a rank from the i-th on: `visit(loads)` of those that it may hold.
template <class Visit>
void each_choice(const load_values& loads, std::size_t rank, double held, std::vector<double>& taken,
                 const Visit& visit) {
  const auto& stages = loads.stages_of(rank);
  if (taken.size() == stages.size()) {
    if (held <= loads.limit()) visit(taken);
    return;
  }
  for (const load_values::entry& entry : loads.of_stage(stages[taken.size()])) {
    taken.push_back(entry.load);
    each_choice(loads, rank, held + entry.held, taken, visit);
    taken.pop_back();
  }
}

}  // namespace

TEST_CASE("the passes of a rank and what is beside them are a path of every cut") {
  dice random(1);
  int told = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const chain of = chains::alike_chain(random, chains::several_order(random, 8), 12);
    with_ranks(of, [&](const auto& loads, auto& ranks, double passes, const std::vector<valued>& all) {
      if (!ranks.applies()) return;
      ++told;
      bool sound = true;
      for (const valued& each : all) {
        for (std::size_t r = 0; r < loads.ranks(); ++r) {
          sound = sound && passes * loads.load(r, each.second) + ranks.rests().length(r, each.second) <= each.first;
        }
      }
      CHECK(sound);
    });
  }
  CHECK(told > 200);
}

TEST_CASE("every cut that ends in time keeps to the limits; without limits that are possible there is none") {
  dice random(2);
  int narrowed = 0;
  int refuted = 0;
  int bounded = 0;
  int of_stages = 0;
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const chain of = chains::alike_chain(random, chains::several_order(random, 8), 13);
    with_ranks(of, [&](const auto& loads, auto& ranks, double, const std::vector<valued>& all) {
      if (!ranks.applies()) return;
      const std::vector<double> rests = least_rests(ranks, all);
      const double most = all[0].first + static_cast<double>(random.below(40)) - 20;
      std::vector<load_limit> limits;
      const load_limit given{random.below(loads.ranks()), random.once_in(2), loads.load(0, all[0].second)};
      if (random.once_in(2)) add_limit(limits, given);
      std::vector<load_limit> closer = limits;
      const bool any = ranks.narrow(closer, rests, most);
      bool sound = true;
      for (const valued& each : all) {
        if (each.first > most || !keeps_to(limits, loads, each.second)) continue;
        sound = sound && any && keeps_to(closer, loads, each.second) && ranks.bound(rests) <= each.first;
      }
      CHECK(sound);
      narrowed += any && closer.size() > limits.size() ? 1 : 0;
      bounded += any && ranks.bound(rests) > 0.8 * all[0].first ? 1 : 0;
      refuted += any ? 0 : 1;
      for (const load_limit& limit : closer) of_stages += limit.group >= loads.ranks() ? 1 : 0;
    });
  }
  CHECK(narrowed > 200);
  CHECK(bounded > 200);
  CHECK(refuted > 50);
  CHECK(of_stages > 200);
}

TEST_CASE("three of four items on two ranks: the sum of all tells what the other rank has") {
  chain of{chains::layers({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 4));
  with_ranks(of, [&](const load_values& loads, rank_loads& ranks, double passes, const std::vector<valued>& all) {
    CHECK(ranks.applies());
    const double item = loads.load(0, all[0].second) / 3;
    std::vector<load_limit> limits;
    CHECK(ranks.narrow(limits, {0, 0}, 2 * passes * item * 3));
    const load_split longest = ranks.longest({0, 0}, 0);
    CHECK(longest.above == 4 * item);
    CHECK(longest.below == 3 * item);
    CHECK(ranks.longest({0, 0}, passes * 4 * item + 1).score == 0);
    add_limit(limits, {0, true, 3 * item});
    CHECK(ranks.narrow(limits, {0, 0}, passes * 3 * item));
    CHECK(ranks.bound({0, passes}) == passes * 3 * item + passes);
    CHECK(ranks.longest({0, 0}, 0).score == 0);  // both have three
    CHECK_FALSE(ranks.narrow(limits, {0, 0}, passes * 3 * item - 1));
  });
}

TEST_CASE("nothing is told where stages differ, or ranks have many loads") {
  dice random(4);
  std::vector<double> times(80);
  for (double& time : times) time = static_cast<double>(random.from(1, 1'000'000));
  chain of{chains::layers(times, times, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 2));
  chains::with_workbench(of, [&](auto& bench) {
    const held_memory held(of.request.schedule, bench.checked, bench.ticks.items, 1, bench.clock);
    const point_times point(bench.ticks, &held);
    const load_values loads(bench.ticks, of.request.schedule, held);
    CHECK_FALSE(rank_loads(bench.ticks, of.request.schedule, point, loads, 2, bench.simulate).applies());
  });
}

TEST_CASE("all that stages can have together, and no more where choices are few") {
  dice random(1);
  int exact = 0;
  int many = 0;
  int none = 0;
  for (int round = 0; round < 800; ++round) {
    CAPTURE(round);
    const std::size_t most_items = random.once_in(3) ? 60 : 14;
    const stagecut::schedule order = chains::several_order(random, 8);
    const chain of = chains::alike_chain(random, order, most_items);
    if (!of.request.memory_limit.for_all()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const held_memory held(order, bench.checked, bench.ticks.items, 1e6, bench.clock);
      const load_values loads(bench.ticks, order, held);
      stage_loads stages(loads);
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        const std::vector<double>& values = loads.values(r);
        if (values.empty() || loads.stages_of(r).size() < 2 || loads.of_stage(loads.stages_of(r)[0]).empty()) continue;
        double ways = 1;
        for (const std::size_t s : loads.stages_of(r)) ways *= static_cast<double>(loads.of_stage(s).size());
        if (ways > 200'000) continue;
        const double a = values[random.below(values.size())];
        const double b = values[random.below(values.size())];
        const load_range asked{std::min(a, b), std::max(a, b)};
        std::vector<load_limit> limits;
        for (std::size_t i = random.below(3); i-- > 0;) {
          const std::size_t s = loads.stages_of(r)[random.below(loads.stages_of(r).size())];
          add_limit(limits, {order.ranks() + s, random.once_in(2),
                             loads.of_stage(s)[random.below(loads.of_stage(s).size())].load});
        }
        std::vector<load_range> found(loads.stages_of(r).size());
        load_range sums;
        std::vector<double> taken;
        each_choice(loads, r, 0, taken, [&](const std::vector<double>& choice) {
          double sum = 0;
          for (std::size_t i = 0; i < choice.size(); ++i) {
            const load_range here = limits_of(limits, order.ranks() + loads.stages_of(r)[i]);
            if (choice[i] < here.low || choice[i] > here.high) return;
            sum += choice[i];
          }
          if (sum < asked.low || sum > asked.high) return;
          sums.add(sum);
          for (std::size_t i = 0; i < choice.size(); ++i) found[i].add(choice[i]);
        });
        std::vector<load_limit> closer = limits;
        load_range takes = asked;
        const bool any = stages.narrow(r, takes, closer);
        const bool few = ways <= 20'000;
        if (sums.high < 0) {
          if (few) CHECK_FALSE(any);
          ++none;
          continue;
        }
        CHECK(any);
        CHECK(takes.low <= sums.low);
        CHECK(takes.high >= sums.high);
        bool same = takes.low == sums.low && takes.high == sums.high;
        for (std::size_t i = 0; i < found.size() && any; ++i) {
          const std::size_t s = loads.stages_of(r)[i];
          const load_range here = limits_of(closer, order.ranks() + s);
          CHECK(here.low <= found[i].low);
          CHECK(here.high >= found[i].high);
          same = same && (here.low == found[i].low || found[i].low == loads.of_stage(s).front().load);
          same = same && (here.high == found[i].high || found[i].high == loads.of_stage(s).back().load);
        }
        if (few) CHECK(same);
        exact += few && same ? 1 : 0;
        many += few ? 0 : 1;
      }
    });
  }
  CHECK(exact > 500);
  CHECK(many > 30);
  CHECK(none > 20);
}
