// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/node_queue.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/hybrid_bounds.hpp>
#include <stagecut/joint/detail/hybrid_builder.hpp>
#include <stagecut/joint/detail/hybrid_combination_bound.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A plan: the points and the option of every stage.
struct hybrid_plan {
  std::vector<std::uint32_t> points{};   // one more than stages
  std::vector<std::uint32_t> options{};  // indices into the table
};

/// The plan of a path through a graph.
[[nodiscard]] inline hybrid_plan plan_of(const hybrid_options& options, const hybrid_graph& graph,
                                         const std::vector<std::uint32_t>& edges);

/// Finds the plan with the smallest makespan for a given number of stages, if it is better than the best one of any
/// number: branch and bound over graphs of plans.
class stages_search {
 public:
  stages_search(const hybrid_options& options, const hybrid_limits& rules, std::size_t stages)
      : options_(options),
        rules_(rules),
        simulator_(hybrid_simulator(stages, rules.microbatches)),
        bounds_(options, rules),
        game_(options, paths_, simulator_, stages),
        stages_(stages) {}

  /// A lower bound of the plans with this number of stages that are better than the best one; `beyond_time`: there is
  /// none.
  double bound = 0;

  [[nodiscard]] std::size_t stages() const noexcept { return stages_; }

  /// Takes the graph of all plans that end by the best known makespan; none of them takes less than `known`.
  void begin(hybrid_graph graph, double known);

  /// Processes the part with the smallest bound; `offer(plan, makespan)` returns the best makespan of all.
  template <class Offer>
  void step(double best, engine::search_clock& clock, const Offer& offer) {
    part next = open_.pop();
    if (next.bound < best && evaluate(next, best, clock, offer)) split(std::move(next));
    renew(best);
  }

  /// Drops parts that are no better than the best.
  void renew(double best);

  std::size_t simulations = 0;
  std::size_t looked_at = 0;

 private:
  struct part {
    hybrid_graph graph;
    double bound;
  };

  /// Bounds a part as well as possible; false: it contains nothing better.
  template <class Offer>
  bool evaluate(part& here, double& best, engine::search_clock& clock, const Offer& offer) {
    ++looked_at;
    for (std::size_t round = 0; round < 6; ++round) {
      const std::size_t edges = here.graph.edges.size();
      if (!bounds_.refine(here.graph, below(best), clock)) return false;
      game_.run(here.graph, looked_at == 1 ? 400 : 120, best,
                [&](const std::vector<std::uint32_t>& plan, double makespan) {
                  ++simulations;
                  clock.work(2 * stages_ * rules_.microbatches + here.graph.edges.size() / 8);
                  if (makespan < best) best = offer(plan_of(options_, here.graph, plan), makespan);
                  return clock.over();
                });
      if (game_.bound > here.bound) here.bound = game_.bound;
      if (!(here.bound < best)) return false;
      game_.raise(here.graph);
      if (!here.graph.prune([&](const auto& edge) { return edge.bound > below(best); })) return false;
      const double least = here.graph.least_bound();
      if (least > here.bound) here.bound = least;
      if (here.graph.edges.size() * 20 > edges * 17 || clock.look()) break;
    }
    return here.bound < best;
  }

  /// Larger values are no improvement.
  [[nodiscard]] static double below(double best) noexcept { return best * (1 - 0x1p-45); }

  /// Where the mixed plans differ most, and a value between them.
  struct choice {
    std::size_t step = 0;
    int what = 0;  // 0: the point after the step; 1: the devices after it; 2: both passes of the step
    double value = 0;
    double score = 0;
  };

  [[nodiscard]] static double key(const hybrid_combination_bound::stage_keys& of, int what) noexcept {
    return what == 0 ? of.point : what == 1 ? of.devices : of.passes;
  }

  [[nodiscard]] choice best_choice() const;

  void split(part here);

  /// Splits the edges of the step with the most edges: for when all mixed plans are equal.
  void halve(part here);

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  engine::times_simulator simulator_;
  hybrid_bounds bounds_;
  engine::critical_path_pool paths_{hybrid_combination_bound::most_paths};
  hybrid_combination_bound game_;
  std::size_t stages_;
  engine::node_queue<part> open_{};
};

inline hybrid_plan plan_of(const hybrid_options& options, const hybrid_graph& graph,
                           const std::vector<std::uint32_t>& edges) {
  hybrid_plan result;
  for (const std::uint32_t edge : edges) {
    result.points.push_back(graph.nodes[graph.edges[edge].from].point);
    result.options.push_back(graph.edges[edge].option);
  }
  result.points.push_back(static_cast<std::uint32_t>(options.points() - 1));
  return result;
}

inline void stages_search::begin(hybrid_graph graph, double known) {
  open_.clear();
  bound = beyond_time;
  if (graph.edges.empty()) return;
  bound = graph.least_bound();
  bound = std::max(bound, known);
  open_.push({std::move(graph), bound});
}

inline void stages_search::renew(double best) {
  open_.keep_below(best);
  bound = open_.empty() ? beyond_time : open_.least();
}

inline auto stages_search::best_choice() const -> choice {
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

inline void stages_search::split(part here) {
  const choice by = best_choice();
  part second = here;
  const auto above = [&](const hybrid_graph& graph, const hybrid_graph::edge& edge) {
    return graph.nodes[edge.from].step == by.step && key(game_.keys_of(graph, edge), by.what) > by.value;
  };
  const auto under = [&](const hybrid_graph& graph, const hybrid_graph::edge& edge) {
    return graph.nodes[edge.from].step == by.step && !(key(game_.keys_of(graph, edge), by.what) > by.value);
  };
  const std::size_t all = here.graph.edges.size();
  const bool low = here.graph.prune([&](const auto& edge) { return above(here.graph, edge); });
  const bool high = second.graph.prune([&](const auto& edge) { return under(second.graph, edge); });
  if (by.score <= 0 || (low && here.graph.edges.size() == all) || (high && second.graph.edges.size() == all)) {
    return halve(low && here.graph.edges.size() == all ? std::move(here) : std::move(second));
  }
  if (low) open_.push(std::move(here));
  if (high) open_.push(std::move(second));
}

inline void stages_search::halve(part here) {
  std::vector<std::size_t> count(stages_);
  for (const hybrid_graph::edge& edge : here.graph.edges) ++count[here.graph.nodes[edge.from].step];
  std::size_t widest = 0;
  for (std::size_t s = 1; s < stages_; ++s) widest = count[s] > count[widest] ? s : widest;
  if (count[widest] < 2) return;  // one plan, already offered
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
