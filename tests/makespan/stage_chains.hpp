// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"

// Chains whose graph of cuts has a step for every stage, or for every rank, and what is asked of all graphs of cuts.
namespace chains {

using oracle::dice;
using stagecut::schedule;
using stagecut::schedule_entry;
using stagecut::schedule_kind;
using stagecut::engine::layered_graph;
using stagecut::engine::stage_layout;

/// A chain whose graph has a step for every stage.
inline chain next_chain(dice& random, std::size_t most_items) {
  for (;;) {
    const schedule_kind kind = any_kind(random, [](const schedule_entry& entry) { return entry.stages_per_rank != 2; });
    schedule order = random_order(random, kind, {most_items, 5, 9, 3});
    if (random.once_in(5)) order = oracle::random_schedule(random, oracle::written_transfers::none, true);
    if (order.stages() > most_items) continue;
    chain result = random_chain(random, order, most_items, {});
    if (stage_layout(result.request.schedule).kind == stage_layout::shape::chain) return result;
  }
}

/// A chain with two stages a rank, whose graph has a step for every rank.
inline chain next_pair_chain(dice& random, std::size_t most_items) {
  for (;;) {
    const schedule_kind kind = any_kind(random, [](const schedule_entry& entry) { return entry.stages_per_rank != 1; });
    schedule order = random_order(random, kind, {most_items, 5, 9, 2});
    if (random.once_in(5)) order = oracle::random_schedule(random, oracle::written_transfers::none, true);
    if (order.stages() > most_items || stage_layout(order).kind == stage_layout::shape::chain) continue;
    return random_chain(random, order, most_items, {});
  }
}

/// The largest bound on the path of a cut; below 0: there is no such path.
inline double bound_of(const layered_graph& graph, const stage_layout& layout, const points& cut) {
  const auto path = path_of(graph, layout, cut);
  double result = path.empty() ? -1 : 0;
  for (const std::size_t edge : path) result = std::max(result, graph.edges[edge].bound);
  return result;
}

inline chain listed(schedule_kind kind, double latency, std::size_t ranks = 4, std::size_t chunks = 1) {
  const std::vector<double> forward{8, 11, 2, 1, 18, 5, 4, 11};
  std::vector<double> backward;
  for (const double each : forward) backward.push_back(2 * each);
  chain result{layers(forward, backward, forward, {}), {}, {}, {}};
  result.request.schedule = stagecut::make_schedule(kind, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = 8});
  result.request.transfers = stagecut::transfer_kind::latency;
  if (latency > 0) result.request.links = {{latency, 0}};
  return result;
}

/// The least bound of the listed chain, in its unit.
inline double listed_bound(schedule_kind kind, double latency, std::size_t ranks = 4, std::size_t chunks = 1) {
  const chain of = listed(kind, latency, ranks, chunks);
  double result = 0;
  with_workbench(
      of, [&](auto& bench) { result = bench.graph(stagecut::engine::no_ticks).least_bound() * bench.ticks.tick; });
  return result;
}

/// Of how many chains and cuts something was asked, and for how many chains it does not hold.
struct tally {
  std::size_t chains = 0;
  std::size_t cuts = 0;
  std::size_t wrong = 0;
};

/// Asks of 600 chains of at most 11 items whether no edge's bound is above the makespan of a cut that uses it.
///
/// @param next  `next(random, most_items)`, a chain
template <class Next>
tally tally_of_bounds(unsigned seed, const Next& next) {
  dice random(seed);
  tally result;
  for (int round = 0; round < 600; ++round) {
    const chain of = next(random, 11);
    const std::vector<valued> all = all_cuts(of);
    with_workbench(of, [&](auto& bench) {
      const layered_graph graph = bench.graph(stagecut::engine::no_ticks);
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const double bound = bound_of(graph, bench.layout, cut);
        sound = sound && bound >= 0 && bound <= makespan / bench.ticks.tick;
      }
      if (!sound) ++result.wrong;
    });
    ++result.chains;
    result.cuts += all.size();
  }
  return result;
}

/// Also checks that a graph for a makespan has all cuts of that makespan or less, and no bound that is too high.
template <class Next>
tally tally_of_limited_graphs(unsigned seed, const Next& next) {
  dice random(seed);
  tally result;
  for (int round = 0; round < 600; ++round) {
    const chain of = next(random, 11);
    const std::vector<valued> all = all_cuts(of);
    if (all.empty()) continue;
    with_workbench(of, [&](auto& bench) {
      const double most = all[random.below(1 + all.size() / 3)].first / bench.ticks.tick;
      const layered_graph graph = bench.graph(most);
      bool sound = graph.least_bound() <= all[0].first / bench.ticks.tick;
      for (const auto& [makespan, cut] : all) {
        if (makespan / bench.ticks.tick > most) break;
        const double bound = bound_of(graph, bench.layout, cut);
        sound = sound && bound >= 0 && bound <= most;
        ++result.cuts;
      }
      if (!sound) ++result.wrong;
    });
    ++result.chains;
  }
  return result;
}

}  // namespace chains
