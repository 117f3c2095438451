// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/makespan_search.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::makespan_search;
using stagecut::schedule_kind;
using stagecut::state;

namespace {

/// A chain on whose best cut simulated annealing is not led by chance: many layers, one makespan.
chain plateau(std::size_t layers, std::size_t ranks) {
  const std::vector<double> ones(layers, 1);
  chain result{chains::layers(ones, ones, ones, {}), {}, {}, {}};
  result.request.order =
      stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = ranks, .microbatches = 2 * ranks});
  result.request.limits.time_limit.reset();
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
      CHECK(answer->makespan == all[0].first);
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
    CHECK(answer->simulations > 0);
    stagecut::makespan_request request = of.request;
    request.limits.node_limit = 0;
    const auto limited = makespan_search(bench.ticks, request, bench.checked).run();
    REQUIRE(limited);
    CHECK(limited->nodes <= 1);
    CHECK(limited->simulations <= answer->simulations);
  });
}

TEST_CASE("what the door finds of a model is what the search finds of its times") {
  const stagecut::item_times model({1, 2, 1, 4, 1, 1, 3}, {2, 3, 2, 5, 2, 1, 6});
  for (const std::size_t stages : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    CAPTURE(stages);
    stagecut::makespan_request request;
    request.order = stagecut::one_forward_one_backward(stages, 4);
    const auto door = stagecut::minimize_makespan(model, request);
    stagecut::engine::chain_ticks chain(model, request.order, request.links);
    const stagecut::detail::no_constraint all;
    const stagecut::engine::model_rules<stagecut::item_times, stagecut::detail::no_constraint> rules(
        model, request.order, request.memory_per_device, all);
    const auto found = makespan_search(chain, request, rules).run();
    REQUIRE(found);
    CHECK(found.state() == state::optimal);
    CHECK(found->cuts == door->cuts);
    CHECK(found->makespan == door->makespan);
  }
}
