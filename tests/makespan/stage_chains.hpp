// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"

// Chains whose graph of cuts has a step for every stage.
namespace chains {

using oracle::dice;
using stagecut::detail::layered_graph;
using stagecut::detail::stage_layout;
using stagecut::schedule;
using stagecut::schedule_kind;

inline constexpr stagecut::schedule_kind chain_kinds[] = {
    schedule_kind::gpipe,      schedule_kind::gpipe_lifo, schedule_kind::one_forward_one_backward,
    schedule_kind::in_flight,  schedule_kind::zb_h1,      schedule_kind::eager_one_forward_one_backward,
    schedule_kind::zb_h2,      schedule_kind::sliced,     schedule_kind::interleaved,
    schedule_kind::looped_bfs, schedule_kind::sapp_big};

/// A chain whose graph has a step for every stage.
inline chain next_chain(dice& random, std::size_t most_items) {
  for (;;) {
    schedule order = random_order(random, chain_kinds[random.below(11)], {most_items, 5, 9, 3});
    if (random.once_in(5)) order = oracle::random_schedule(random, oracle::written_transfers::none, true);
    if (order.stages() > most_items) continue;
    chain result = random_chain(random, order, most_items, {});
    if (stage_layout(result.request.order).kind == stage_layout::shape::chain) return result;
  }
}

/// The largest bound on the path of a cut; below 0: there is no such path.
inline double bound_of(const layered_graph& graph, const stage_layout& layout, const points& cut) {
  const auto path = path_of(graph, layout, cut);
  double result = path.empty() ? -1 : 0;
  for (const std::size_t each : path) result = std::max(result, graph.edges[each].bound);
  return result;
}

inline chain listed(schedule_kind kind, double latency) {
  const std::vector<double> forward{8, 11, 2, 1, 18, 5, 4, 11};
  std::vector<double> backward;
  for (const double each : forward) backward.push_back(2 * each);
  chain result{layers(forward, backward, forward, {}), {}, {}, {}};
  result.request.order = stagecut::make_schedule(kind, {.ranks = 4, .microbatches = 8});
  result.request.transfers = stagecut::transfer_kind::latency;
  if (latency > 0) result.request.links = {{latency, 0}};
  return result;
}

}  // namespace chains
