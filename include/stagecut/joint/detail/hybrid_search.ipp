// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/hybrid_game.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/stages_search.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double hybrid_search::bound() const {
  double result = makespan;
  for (std::size_t p = few_; p <= many_; ++p) result = std::min(result, least_[p]);
  return result;
}

STAGECUT_DECL void hybrid_search::run(double most) {
  if (!find_least(most)) return;
  for (double part = 64; part >= 1 && !clock_.look(); part /= 2) {
    const double low = bound();
    const double high = makespan < most ? makespan : most;
    if (!(low < high)) return;
    const double target = part == 1 ? high : low + (high - low) / part;
    for (std::size_t p = few_; p <= many_ && !clock_.over(); ++p) {
      if (least_[p] < target && least_[p] < makespan) look_for(p, target < makespan ? target : makespan);
    }
  }
  if (makespan < beyond_time) prove();
}

STAGECUT_DECL bool hybrid_search::find_least(double most) {
  double low = 0;
  double high = most;
  for (int i = 0; i < 30; ++i) {
    const double middle = low + (high - low) / 2;
    if (!builder_.find_needs(many_, middle, clock_)) return false;
    bool any = false;
    for (std::size_t p = few_; p <= many_; ++p) {
      if (builder_.need(p) <= rules_.devices) {
        any = true;
      } else if (least_[p] < middle) {
        least_[p] = middle;
      }
    }
    (any ? high : low) = middle;
  }
  return true;
}

STAGECUT_DECL void hybrid_search::look_for(std::size_t p, double target) {
  hybrid_graph graph;
  if (!builder_.build(p, target, first_edges, clock_, graph)) {
    complete_ = false;
    return;
  }
  if (graph.edges.empty() || !bounds_.refine(graph, target, clock_)) {
    if (!clock_.over() && least_[p] < target) least_[p] = target;
    return;
  }
  engine::times_simulator simulator = hybrid_simulator(p, rules_.microbatches);
  engine::critical_path_pool paths(hybrid_game::most_paths);
  hybrid_game game(options_, paths, simulator, p);
  game.run(graph, 60, target, [&](const std::vector<std::uint32_t>& edges, double here) {
    ++simulations;
    clock_.work(2 * p * rules_.microbatches + graph.edges.size() / 8);
    take(plan_of(options_, graph, edges), here);
    return clock_.over();
  });
  const double low = game.bound < target ? game.bound : target;
  if (least_[p] < low) least_[p] = low;
  tell();
}

STAGECUT_DECL void hybrid_search::take(hybrid_plan plan, double here) {
  if (!(here < makespan)) return;
  makespan = here;
  best = std::move(plan);
  clock_.state.makespan = makespan;
  clock_.state.simulations = simulations;
  clock_.tell();
}

STAGECUT_DECL void hybrid_search::tell() {
  const double now = bound();
  clock_.state.bound = std::max(clock_.state.bound, now);
}

STAGECUT_DECL void hybrid_search::prove() {
  std::vector<std::unique_ptr<stages_search>> parts;
  for (std::size_t p = few_; p <= many_; ++p) {
    if (!(least_[p] < makespan)) continue;
    hybrid_graph graph;
    if (!builder_.build(p, makespan, most_edges, clock_, graph)) continue;  // its bound stays
    const bool any = bounds_.refine(graph, makespan, clock_);
    auto part = std::make_unique<stages_search>(options_, rules_, p);
    part->begin(any ? std::move(graph) : hybrid_graph{}, least_[p]);
    least_[p] = part->bound;
    parts.push_back(std::move(part));
  }
  tell();
  while (!parts.empty() && !clock_.look()) {
    stages_search* least = parts[0].get();
    for (const auto& each : parts) least = each->bound < least->bound ? each.get() : least;
    if (!(least->bound < makespan)) return;
    least->step(makespan, clock_, [&](hybrid_plan plan, double here) {
      take(std::move(plan), here);
      return makespan;
    });
    simulations += least->simulations;
    looked_at += least->looked_at;
    least->simulations = least->looked_at = 0;
    least_[least->stages()] = least->bound;
    tell();
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
