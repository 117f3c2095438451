// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/interleaved_search.hpp>

#include <stagecut/makespan/detail/makespan_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "domain_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::search_progress;
using stagecut::state;
using stagecut::detail::tick_search;
using stagecut::engine::incumbent;

namespace {

/// Checks the search of one chain, what it tells on the way included.
void check(chain of, const std::vector<valued>& all) {
  bool sound = true;
  const auto listener = [&](const search_progress& now) {
    sound = sound && now.bound <= all[0].first && (now.value == 0 || now.value >= all[0].first);
  };
  of.request.search.progress = listener;
  chains::with_workbench(of, [&](auto& bench) {
    incumbent best(bench.clock, bench.ticks.tick);
    tick_search search(bench.ticks, of.request, bench.checked, bench.clock, best);
    CHECK(search.begin() == state::feasible);
    search.run();
    CHECK(best.proved());
    CHECK(best.makespan() * bench.ticks.tick == all[0].first);
    const auto is = [&](const valued& each) { return each.second == best.points(); };
    CHECK(std::any_of(all.begin(), all.end(), is));
    CHECK(search.settle_ties());
    CHECK(best.points() == chains::best_of(of, all));
  });
  CHECK(sound);
}

}  // namespace

TEST_CASE("ranks of several stages: the least makespan, bounds on the way below it, and the best of all ties") {
  dice random(1);
  int searched = 0;
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 12, {});
    const auto all = chains::all_cuts(of);
    if (all.empty()) continue;
    ++searched;
    check(of, all);
  }
  CHECK(searched > 180);
}

TEST_CASE("so many cuts that domains begin") {
  dice random(2);
  for (const std::size_t chunks : {std::size_t{2}, std::size_t{4}}) {
    CAPTURE(chunks);
    const auto order = stagecut::make_schedule(chains::schedule_kind::interleaved,
                                               {.ranks = 8 / chunks, .stages_per_rank = chunks, .microbatches = 4});
    chain of = chains::random_chain(random, order, 8, {true, true, false, false, false});
    std::vector<double> forward;
    std::vector<double> backward;
    for (int i = 0; i < 20; ++i) {
      forward.push_back(static_cast<double>(6 * random.from(1, 20)));
      backward.push_back(static_cast<double>(6 * random.from(1, 40)));
    }
    of.model = chains::layers(forward, backward, {}, std::vector<double>(20, 4));
    const auto all = chains::all_cuts(of);
    CHECK(all.size() > 50'000);
    check(of, all);
  }
}
