// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/remaining_cuts.hpp>

#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using stagecut::remaining_cuts;
using stagecut::view;
using stagecut::detail::problem_access;

namespace {

std::size_t visited_by_function = 0;
bool one_more(view<const std::size_t>) { return ++visited_by_function < 3; }

}  // namespace

TEST_CASE("every cut that is fast enough is visited, each one once, whatever the order of the stages") {
  oracle::dice random(1);
  std::size_t fast = 0;
  std::size_t excluded = 0;
  std::set<stagecut::engine::stage_layout::shape> shapes;
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {10, 4, 6});
    const chain of = chains::random_chain(random, order, 10, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    const double most = all[random.below(all.size())].first;
    chains::with_workbench(of, [&](auto& bench) {
      const auto graph = bench.graph(most / bench.ticks.tick);
      const remaining_cuts cuts = problem_access::cuts(graph, bench.layout, of.model.size());
      std::set<points> visited;
      std::size_t visits = 0;
      CHECK(cuts.for_each([&](view<const std::size_t> cut) {
        ++visits;
        visited.insert(points(cut.begin(), cut.end()));
        return true;
      }));
      CHECK(visits == visited.size());
      CHECK(static_cast<double>(visits) == cuts.count());
      std::size_t missed = 0;
      for (const auto& [makespan, cut] : all) {
        missed += makespan <= most && visited.count(cut) == 0 ? 1 : 0;
        excluded += visited.count(cut) == 0 ? 1 : 0;
        fast += makespan <= most ? 1 : 0;
      }
      CHECK(missed == 0);
      for (const points& cut : visited) CHECK(stagecut::engine::is_cut(cut, of.model.size()));
      shapes.insert(bench.layout.kind);
      if (visits < 3) return;
      std::size_t left = 3;
      CHECK_FALSE(cuts.for_each([&](view<const std::size_t>) { return --left > 0; }));
      CHECK(left == 0);
      visited_by_function = 0;
      CHECK_FALSE(cuts.for_each(one_more));
      CHECK(visited_by_function == 3);
    });
  }
  CHECK(fast > 2000);
  CHECK(excluded > 500);
  CHECK(shapes.size() == 3);
}

TEST_CASE("a graph without paths has no cut") {
  oracle::dice random(2);
  const auto order = stagecut::make_schedule("1f1b", {.ranks = 3, .microbatches = 4});
  const chain of = chains::random_chain(random, order, 8, {});
  const stagecut::engine::layered_graph none;
  chains::with_workbench(of, [&](auto& bench) {
    const remaining_cuts cuts = problem_access::cuts(none, bench.layout, of.model.size());
    CHECK(cuts.count() == 0);
    CHECK(cuts.for_each([](view<const std::size_t>) { return false; }));
  });
}
