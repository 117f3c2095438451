// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/hybrid_bounds.hpp>
#include <stagecut/joint/detail/hybrid_builder.hpp>
#include <stagecut/joint/detail/hybrid_combination_bound.hpp>
#include <stagecut/joint/detail/hybrid_graph.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/stages_search.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the plan with the smallest makespan over all numbers of stages: builds graphs of the plans that end by a
/// target, which grows from a bound to the best known makespan, then runs branch and bound where a better plan may
/// exist. See docs/hybrid.md, "The search".
class hybrid_search {
 public:
  /// @param options  of all stages, as far as they can be useful
  /// @param few      the fewest stages
  /// @param many     the most stages
  /// @param known    makespan of a known plan
  hybrid_search(const hybrid_options& options, const hybrid_limits& rules, std::size_t few, std::size_t many,
                engine::search_clock& clock, double known = beyond_time)
      : makespan(known),
        options_(options),
        rules_(rules),
        few_(few),
        many_(many),
        clock_(clock),
        builder_(options, rules),
        bounds_(options, rules),
        least_(many + 1, 0) {}

  hybrid_plan best{};  // without stages: none is better than the known plan
  double makespan;
  std::size_t simulations = 0;
  std::size_t looked_at = 0;

  /// Whether no plan was left out because there were too many.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// No plan takes less.
  [[nodiscard]] double bound() const;

  /// Searches for plans that end by `most` and proves what it can; if there is none, `makespan` is unchanged.
  void run(double most);

 private:
  static constexpr std::size_t first_edges = 400'000;
  static constexpr std::size_t most_edges = 6'000'000;

  /// Computes a bound for every number of stages, from the devices that sufficiently fast stages need. False: it was
  /// stopped.
  bool find_least(double most);

  /// Searches for a plan of p stages that ends by a target.
  void look_for(std::size_t p, double target);

  void take(hybrid_plan plan, double here);

  void tell();

  /// Searches all plans that finish before the best one, for each number of stages, always the one with the smallest
  /// bound.
  void prove();

  const hybrid_options& options_;
  const hybrid_limits& rules_;
  std::size_t few_;
  std::size_t many_;
  engine::search_clock& clock_;
  hybrid_builder builder_;
  hybrid_bounds bounds_;
  bool complete_ = true;
  std::vector<double> least_;  // no plan with this number of stages takes less
};

inline double hybrid_search::bound() const {
  double result = makespan;
  for (std::size_t p = few_; p <= many_; ++p) result = std::min(result, least_[p]);
  return result;
}

inline void hybrid_search::run(double most) {
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

inline bool hybrid_search::find_least(double most) {
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

inline void hybrid_search::look_for(std::size_t p, double target) {
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
  engine::critical_path_pool paths(hybrid_combination_bound::most_paths);
  hybrid_combination_bound game(options_, paths, simulator, p);
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

inline void hybrid_search::take(hybrid_plan plan, double here) {
  if (!(here < makespan)) return;
  makespan = here;
  best = std::move(plan);
  clock_.state.value = makespan;
  clock_.state.evaluations = simulations;
  clock_.tell();
}

inline void hybrid_search::tell() {
  const double now = bound();
  clock_.state.bound = std::max(clock_.state.bound, now);
}

inline void hybrid_search::prove() {
  std::vector<std::unique_ptr<stages_search>> parts;
  for (std::size_t p = few_; p <= many_; ++p) {
    if (!(least_[p] < makespan)) continue;
    hybrid_graph graph;
    if (!builder_.build(p, makespan, most_edges, clock_, graph)) continue;  // its bound remains
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
