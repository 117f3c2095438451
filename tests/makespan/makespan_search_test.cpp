// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/makespan_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <stagecut/makespan/minimize_makespan.hpp>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::detail::makespan_search;
using stagecut::detail::tick_search;
using stagecut::engine::incumbent;

namespace {

/// A chain on whose best cut simulated annealing is not led by chance: many layers, one makespan.
chain plateau(std::size_t layers, std::size_t ranks) {
  const std::vector<double> ones(layers, 1);
  chain result{chains::layers(ones, ones, ones, {}), {}, {}, {}};
  result.request.schedule =
      stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = ranks, .microbatches = 2 * ranks});
  result.request.search.time_limit.reset();
  return result;
}

}  // namespace

TEST_CASE("a search finds what enumeration finds") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      const auto answer = makespan_search(bench.ticks, of.request, bench.checked).run();
      REQUIRE((answer.state() == state::infeasible) == all.empty());
      if (all.empty()) return;
      CHECK(answer->value == all[0].first);
      CHECK(chains::points_of(answer->cuts) == chains::best_of(of, all));
    });
  }
}

TEST_CASE("of many best cuts the one of the lightest heaviest stage") {
  const chain of = plateau(13, 4);
  const std::vector<valued> all = chains::all_cuts(of);
  chains::with_workbench(of, [&](auto& bench) {
    const auto answer = makespan_search(bench.ticks, of.request, bench.checked).run();
    REQUIRE(answer.state() == state::optimal);
    CHECK(chains::points_of(answer->cuts) == chains::best_of(of, all));
    CHECK(answer->ties_settled);
  });
}

TEST_CASE("what was looked at is counted") {
  chain of = plateau(13, 4);
  chains::with_workbench(of, [&](auto& bench) {
    const auto answer = makespan_search(bench.ticks, of.request, bench.checked).run();
    CHECK(answer->statistics.evaluations > 0);
    stagecut::makespan_request request = of.request;
    request.search.node_limit = 0;
    const auto limited = makespan_search(bench.ticks, request, bench.checked).run();
    REQUIRE(limited);
    CHECK(limited->statistics.nodes <= 1);
    CHECK(limited->statistics.evaluations <= answer->statistics.evaluations);
  });
}

TEST_CASE("what the door finds of a model is what the search finds of its times") {
  const stagecut::item_times model({1, 2, 1, 4, 1, 1, 3}, {2, 3, 2, 5, 2, 1, 6});
  for (const std::size_t stages : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    CAPTURE(stages);
    stagecut::makespan_request request;
    request.schedule = stagecut::one_forward_one_backward(stages, 4);
    const auto door = stagecut::minimize_makespan(model, request);
    stagecut::engine::chain_ticks chain(model, request.schedule, request.links);
    const stagecut::detail::no_constraint all;
    const stagecut::engine::model_rules<stagecut::item_times, stagecut::detail::no_constraint> rules(
        model, request.schedule, request.memory_limit.for_all(), all);
    const auto found = makespan_search(chain, request, rules).run();
    REQUIRE(found);
    CHECK(found.state() == state::optimal);
    CHECK(found->cuts == door->cuts);
    CHECK(found->value == door->value);
  }
}

TEST_CASE("a cut to begin with, the best makespan with its proof, then the ties") {
  dice random(1);
  int searched = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 4, 8}), 10, {});
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      incumbent best(bench.clock, bench.ticks.tick);
      tick_search search(bench.ticks, of.request, bench.checked, bench.clock, best);
      CHECK_FALSE(search.settle_ties());  // nothing is proved
      CHECK(search.begin() == (all.empty() ? state::infeasible : state::feasible));
      if (all.empty()) return;
      ++searched;
      search.run();
      CHECK(best.proved());
      CHECK(best.makespan() * bench.ticks.tick == all[0].first);
      CHECK(search.settle_ties());
      CHECK(search.space().holds(best.makespan()));
      CHECK(best.makespan() * bench.ticks.tick == all[0].first);
      CHECK(best.points() == chains::best_of(of, all));
      CHECK(search.simulator()(best.points()) == best.makespan());
    });
  }
  CHECK(searched > 100);
}

TEST_CASE("all cuts within a fraction, whatever the ticks were, whole times or any magnitude") {
  dice random(1);
  int many = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const auto order = chains::random_order(random, kind, {8, 3, 5});
    const bool whole = random.once_in(2);
    chain of = whole ? chains::random_chain(random, order, 8, {}) : chains::rough_chain(random, order, 8);
    const std::vector<valued> all = whole ? chains::all_cuts(of) : chains::all_cuts<double>(of);
    if (all.empty()) continue;
    of.request.within = random.once_in(3) ? 0.2 * random.fraction() : std::pow(10, 6 * random.fraction());
    chains::with_workbench(of, [&](auto& bench) {
      stagecut::detail::cut_space space(bench.ticks, of.request.schedule, of.request.transfers, bench.layout,
                                        bench.checked, bench.simulate, bench.clock);
      if (!whole) bench.ticks.scale(all[0].first);
      stagecut::makespan_cut result;
      result.cuts = stagecut::cuts(all[0].second);
      result.value = all[0].first;
      stagecut::detail::collect_cuts_within(bench.ticks, of.request, bench.simulate, space, result);
      CHECK(result.all_within);
      const double longest = all[0].first * (1 + *of.request.within);
      const double slack = whole ? 0 : 1e-9;
      std::size_t sure = 0;
      std::size_t possible = 0;
      for (const valued& each : all) sure += each.first <= longest * (1 - slack) ? 1 : 0;
      for (const valued& each : all) possible += each.first <= longest * (1 + slack) ? 1 : 0;
      CHECK(result.within.size() >= sure);
      CHECK(result.within.size() <= possible);
      many += sure > 3 ? 1 : 0;
      bool sound = true;
      for (std::size_t i = 0; i < result.within.size(); ++i) {
        const auto& each = result.within[i];
        sound = sound && (i == 0 || result.within[i - 1].value <= each.value);
        sound = sound && std::any_of(all.begin(), all.end(), [&](const valued& other) {
                  return other.second == chains::points_of(each.cuts) &&
                         std::abs(other.first - each.value) <= 1e-12 * each.value;
                });
      }
      CHECK(sound);
    });
  }
  CHECK(many > 50);
}

TEST_CASE("a list that may be short still has a cut: ticks tell apart what makespans before rounding do not") {
  using stagecut::op_kind;
  stagecut::makespan_request request;
  request.schedule.microbatches = 1;
  request.schedule.rank_of = {0, 0};
  request.schedule.orders = {
      {{op_kind::forward, 0}, {op_kind::forward, 1}, {op_kind::backward, 1}, {op_kind::backward, 0}}};
  request.within = 0;
  request.most_within = 1;
  const stagecut::item_times model({0.1, 0.5, 0.1}, {0.3, 0.1, 0.6});
  const auto best = stagecut::minimize_makespan(model, request);
  REQUIRE(best);
  REQUIRE(best->within.size() == 1);
  CHECK(best->within[0].value <= best->value);
}
