// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/warm_up_climb.hpp>

#include <stagecut/graph/detail/load_pipeline.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <algorithm>
#include <vector>

using stagecut::detail::stage_simulator;
using stagecut::detail::warm_up_climb;
using counts = std::vector<std::size_t>;

namespace {

stagecut::stage_pipeline diamond() {
  stagecut::stage_pipeline of;
  of.forward = {1, 2, 1, 3};
  of.backward = {2, 2, 5, 4};
  of.resident = of.activations = {0, 0, 0, 0};
  of.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  of.send_forward = of.send_backward = {1, 0, 1, 2};
  return of;
}

}  // namespace

TEST_CASE("as many in flight as fit") {
  CHECK(warm_up_climb::most_of(1, 1, {}, 8) == 7);
  CHECK(warm_up_climb::most_of(10, 3, 12, 8) == std::nullopt);
  CHECK(warm_up_climb::most_of(10, 3, 13, 8) == 0);
  CHECK(warm_up_climb::most_of(10, 3, 19, 8) == 2);
  CHECK(warm_up_climb::most_of(10, 3, 1000, 8) == 7);
  CHECK(warm_up_climb::most_of(10, 0, 10, 8) == 7);
  for (std::size_t fits = 1; fits <= 50; ++fits) {  // where a quotient would round
    const double memory = 0.3 + static_cast<double>(fits) * 0.1;
    CHECK(warm_up_climb::most_of(0.3, 0.1, memory, 64) == fits - 1);
  }
}

TEST_CASE("limits and counts that edges and limits allow") {
  stage_simulator simulator(8, false);
  stagecut::detail::load_pipeline(simulator, diamond());
  const warm_up_climb climb(simulator);
  counts most{5, 7, 2, 6};
  climb.limit(most);
  CHECK(most == counts{5, 5, 2, 2});
  counts found{0, 3, 7, 1};
  climb.repair(found, most);
  CHECK(found == counts{3, 3, 2, 1});
  climb.by_rank(found);
  CHECK(found == counts{3, 2, 1, 0});
  climb.by_depth(found);
  CHECK(found == counts{2, 1, 1, 0});
}

TEST_CASE("steps never make it worse, keep to the limits, and end where the same makespan needs the fewest") {
  random_graphs random(14);
  stage_simulator simulator(6, true);
  const stagecut::stage_pipeline of = diamond();
  stagecut::detail::load_pipeline(simulator, of);
  warm_up_climb climb(simulator);
  for (int round = 0; round < 200; ++round) {
    counts most(4);
    for (std::size_t& each : most) each = random.up_to(5);
    climb.limit(most);
    counts from(4);
    for (std::size_t& each : from) each = random.up_to(5);
    climb.repair(from, most);
    const double before = climb.price(from);
    CHECK(run_plainly(of, from, 6, true).makespan == before);
    counts to = from;
    const double after = climb.improve(to, most);
    CHECK(after <= before);
    CHECK(climb.price(to) == after);
    for (std::size_t s = 0; s < 4; ++s) CHECK(to[s] <= most[s]);
    counts chosen;
    counts screened;
    CHECK(climb.choose(chosen, most) <= climb.screen(screened, most));
    // One less with those behind it that must follow costs something.
    for (std::size_t s = 0; s < 4; ++s) {
      if (to[s] == 0) continue;
      counts less = to;
      --less[s];
      for (const auto& [a, b] : of.edges) less[b] = std::min(less[b], less[a]);
      CHECK(climb.price(less) > after);
    }
  }
  CHECK(climb.runs > 1000);
}

TEST_CASE("what the steps reach, beside all counts") {
  random_graphs random(18);
  int best_found = 0;
  double worst = 0;
  const int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t k = 2 + random.up_to(2);
    const std::size_t m = 2 + random.up_to(5);
    stagecut::stage_pipeline of;
    for (std::size_t s = 0; s < k; ++s) {
      of.forward.push_back(1 + random.number(9));
      of.backward.push_back(1 + random.number(9));
      for (std::size_t to = s + 1; to < k; ++to) {
        if (random.up_to(2) == 0) continue;
        of.edges.push_back({s, to});
        of.send_forward.push_back(random.number(6));
        of.send_backward.push_back(random.number(6));
      }
    }
    stage_simulator simulator(m, round % 2 == 0);
    stagecut::detail::load_pipeline(simulator, of);
    warm_up_climb climb(simulator);
    counts most(k, m - 1);
    counts found;
    const double reached = climb.choose(found, most);
    counts all = found;
    REQUIRE(climb.exhaust(all, most));
    const double best = climb.price(all);
    CHECK(best <= reached);
    best_found += best == reached ? 1 : 0;
    worst = std::max(worst, reached / best - 1);
    each_vector(counts(k, m), [&](const counts& each) {
      const reference_simulator run = run_plainly(of, each, m, round % 2 == 0);
      if (run.ends) REQUIRE(run.makespan >= best);
    });
    CHECK_FALSE(climb.exhaust(all, counts(k, 4096)));
  }
  MESSAGE("best counts in " << best_found << " of " << rounds << ", at worst " << 100 * worst << " % above");
  CHECK(best_found >= rounds * 99 / 100);
  CHECK(worst < 0.05);
}
