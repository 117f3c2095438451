// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/stages_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/joint/detail/hybrid_bounds.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL hybrid_plan plan_of(const hybrid_options& options, const hybrid_graph& graph,
                                  const std::vector<std::uint32_t>& edges) {
  hybrid_plan result;
  for (const std::uint32_t each : edges) {
    result.points.push_back(graph.nodes[graph.edges[each].from].point);
    result.options.push_back(graph.edges[each].option);
  }
  result.points.push_back(static_cast<std::uint32_t>(options.points() - 1));
  return result;
}

STAGECUT_DECL void stages_search::begin(hybrid_graph graph, double known) {
  open_.clear();
  bound = beyond_time;
  if (graph.edges.empty()) return;
  bound = graph.least_bound();
  bound = std::max(bound, known);
  open_.push({std::move(graph), bound});
}

STAGECUT_DECL void stages_search::renew(double best) {
  open_.keep_below(best);
  bound = open_.empty() ? beyond_time : open_.least();
}

STAGECUT_DECL auto stages_search::best_choice() const -> choice {
  choice best;
  const double units[] = {static_cast<double>(options_.points()) / static_cast<double>(stages_),
                          static_cast<double>(rules_.devices) / static_cast<double>(stages_), 0};
  for (std::size_t s = 0; s < stages_; ++s) {
    for (int what = 0; what < 3; ++what) {
      double mean = 0;
      for (std::size_t c = 0; c < game_.plans.size(); ++c) {
        mean += game_.shares[c] * key(game_.plans[c].keys[s], what);
      }
      double away = 0;
      for (std::size_t c = 0; c < game_.plans.size(); ++c) {
        const double by = key(game_.plans[c].keys[s], what) - mean;
        away += game_.shares[c] * (by < 0 ? -by : by);
      }
      const double score = away / (what == 2 ? mean : units[what]) * (what == 2 ? 0.5 : 1);
      if (score > best.score) best = {s, what, mean, score};
    }
  }
  return best;
}

STAGECUT_DECL void stages_search::split(part here) {
  const choice by = best_choice();
  part second = here;
  const auto above = [&](const hybrid_graph& graph, const hybrid_graph::edge& each) {
    return graph.nodes[each.from].step == by.step && key(game_.keys_of(graph, each), by.what) > by.value;
  };
  const auto under = [&](const hybrid_graph& graph, const hybrid_graph::edge& each) {
    return graph.nodes[each.from].step == by.step && !(key(game_.keys_of(graph, each), by.what) > by.value);
  };
  const std::size_t all = here.graph.edges.size();
  const bool low = here.graph.prune([&](const auto& each) { return above(here.graph, each); });
  const bool high = second.graph.prune([&](const auto& each) { return under(second.graph, each); });
  if (by.score <= 0 || (low && here.graph.edges.size() == all) || (high && second.graph.edges.size() == all)) {
    return halve(low && here.graph.edges.size() == all ? std::move(here) : std::move(second));
  }
  if (low) open_.push(std::move(here));
  if (high) open_.push(std::move(second));
}

STAGECUT_DECL void stages_search::halve(part here) {
  std::vector<std::size_t> count(stages_);
  for (const hybrid_graph::edge& each : here.graph.edges) ++count[here.graph.nodes[each.from].step];
  std::size_t widest = 0;
  for (std::size_t s = 1; s < stages_; ++s) widest = count[s] > count[widest] ? s : widest;
  if (count[widest] < 2) return;  // one plan, which was offered
  part second = here;
  std::size_t seen = 0;
  const std::size_t half = count[widest] / 2;
  if (here.graph.prune([&](const auto& e) { return here.graph.nodes[e.from].step == widest && seen++ >= half; })) {
    open_.push(std::move(here));
  }
  seen = 0;
  if (second.graph.prune([&](const auto& e) { return second.graph.nodes[e.from].step == widest && seen++ < half; })) {
    open_.push(std::move(second));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
