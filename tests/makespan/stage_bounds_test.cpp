// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/stage_bounds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::detail::layered_graph;
using stagecut::detail::no_ticks;
using stagecut::detail::stage_layout;

namespace {

constexpr schedule_kind kinds[] = {
    schedule_kind::gpipe,      schedule_kind::gpipe_lifo, schedule_kind::one_forward_one_backward,
    schedule_kind::in_flight,  schedule_kind::zb_h1,      schedule_kind::eager_one_forward_one_backward,
    schedule_kind::zb_h2,      schedule_kind::sliced,     schedule_kind::interleaved,
    schedule_kind::looped_bfs, schedule_kind::sapp_big};

/// A chain whose graph has a step for every stage.
chain next_chain(dice& random, std::size_t most_items) {
  for (;;) {
    schedule order = chains::random_order(random, kinds[random.below(11)], {most_items, 5, 9, 3});
    if (random.once_in(5)) order = oracle::random_schedule(random, oracle::written_transfers::none, true);
    if (order.stages() > most_items) continue;
    chain result = chains::random_chain(random, order, most_items, {});
    if (stage_layout(result.request.order).kind == stage_layout::shape::chain) return result;
  }
}

/// The largest bound on the path of a cut; below 0: there is no such path.
double bound_of(const layered_graph& graph, const stage_layout& layout, const chains::points& cut) {
  const auto path = chains::path_of(graph, layout, cut);
  double result = path.empty() ? -1 : 0;
  for (const std::size_t each : path) result = std::max(result, graph.edges[each].bound);
  return result;
}

chain listed(schedule_kind kind, double latency) {
  const std::vector<double> forward{8, 11, 2, 1, 18, 5, 4, 11};
  std::vector<double> backward;
  for (const double each : forward) backward.push_back(2 * each);
  chain result{chains::layers(forward, backward, forward, {}), {}, {}, {}};
  result.request.order = stagecut::make_schedule(kind, {.ranks = 4, .microbatches = 8});
  result.request.transfers = stagecut::transfer_kind::latency;
  if (latency > 0) result.request.links = {{latency, 0}};
  return result;
}

double least_bound(schedule_kind kind, double latency) {
  const chain of = listed(kind, latency);
  double result = 0;
  chains::with_workbench(of, [&](auto& bench) { result = bench.graph(no_ticks).least_bound() * bench.ticks.tick; });
  return result;
}

}  // namespace

TEST_CASE("no edge's bound is above the makespan of a cut that uses it") {
  dice random(1);
  std::size_t cuts = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const chain of = next_chain(random, 11);
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      const layered_graph graph = bench.graph(no_ticks);
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const double bound = bound_of(graph, bench.layout, cut);
        sound = sound && bound >= 0 && bound <= makespan / bench.ticks.tick;
      }
      CHECK(sound);
    });
    cuts += all.size();
  }
  CHECK(cuts > 10000);
}

// notes/bounds.md, section 9.
TEST_CASE("the least bounds of a listed chain are at least the listed ones, and at most its optima") {
  const auto between = [](double low, double found, double high) { return low <= found && found <= high; };
  CHECK(between(519, least_bound(schedule_kind::gpipe, 0), 600));
  CHECK(between(523, least_bound(schedule_kind::gpipe, 2), 612));
  CHECK(between(558, least_bound(schedule_kind::one_forward_one_backward, 0), 573));
  CHECK(between(573, least_bound(schedule_kind::one_forward_one_backward, 2), 589));
  CHECK(between(519, least_bound(schedule_kind::eager_one_forward_one_backward, 0), 543));
  CHECK(between(523, least_bound(schedule_kind::eager_one_forward_one_backward, 2), 547));
  CHECK(between(519, least_bound(schedule_kind::zb_h1, 0), 520));
  CHECK(least_bound(schedule_kind::zb_h1, 2) == 526);
  CHECK(least_bound(schedule_kind::zb_h2, 0) == 504);
  CHECK(least_bound(schedule_kind::zb_h2, 2) == 504);
}
