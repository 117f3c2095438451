// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/coarse_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/weighted_paths.hpp>
#include <stagecut/makespan/detail/weighted_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Means of critical paths as bounds for the cuts of a layered graph: docs/makespan.md, Bounds, Combinations.
class path_means {
 public:
  path_means(const engine::chain_ticks& chain, std::size_t passes, const engine::stage_layout& layout,
             engine::cut_simulator& simulator, engine::search_clock& clock)
      : chain_(chain),
        layout_(layout),
        simulator_(simulator),
        clock_(clock),
        times_(chain, passes),
        paths_(chain.stages),
        cuts_(times_, layout, chain.items),
        points_(chain.stages + 1),
        sums_(chain.stages * engine::tick_kinds) {}

  /// Finds means that are long in all cuts of a graph. Removes edges that no cut of makespan `most` or less uses, and
  /// raises the bounds of others, while that helps.
  ///
  /// @param graph  begins with a node of any step
  /// @param offer  receives cuts and their makespans
  template <class Offer>
  void thin(engine::layered_graph& graph, double most, const Offer& offer) {
    double bound = 0;
    for (std::size_t round = 0; round < most_rounds && !graph.edges.empty() && !clock_.look(); ++round) {
      const double before = bound;
      const std::size_t edges = graph.edges.size();
      const double here = improve(graph, most, round, offer);
      if (bound < here) bound = here;
      // Weights are learned first, so the first rounds do not give up.
      if (round > 1 && (bound - before) * 16 < most - bound && graph.edges.size() * 20 > edges * 19) return;
    }
  }

 private:
  static constexpr std::size_t most_rounds = 12;
  static constexpr std::size_t steps_of_round = 40;

  /// Some steps; returns a lower bound on all cuts of the graph.
  template <class Offer>
  double improve(engine::layered_graph& graph, double most, std::size_t round, const Offer& offer) {
    double bound = -1;
    for (std::size_t step = 0; step < steps_of_round && (step == 0 || !clock_.look()); ++step) {
      paths_.mean(now_);
      cuts_.set(now_);
      const double here = cuts_.least(graph);
      clock_.work(graph.edges.size() / 16 + 100);
      if (bound < here) bound = here, best_ = now_;
      if (here > most || !cuts_.least_cut(graph, points_)) break;
      learn(here, 8 / (1 + 0.03 * static_cast<double>(round * steps_of_round + step)), offer);
    }
    cuts_.set(best_);
    (void)cuts_.least(graph);
    cuts_.raise(graph);
    if (!graph.prune(static_cast<std::uint32_t>(layout_.steps()), [most](const auto& e) { return e.bound > most; })) {
      graph.edges.clear();
      graph.index();
    }
    return bound;
  }

  /// Learns from the cut for which the mean is shortest.
  template <class Offer>
  void learn(double mean, double speed, const Offer& offer) {
    const double makespan = simulator_(points_);
    offer(view<const std::size_t>(points_), makespan);
    simulator_.count_critical(counts_);
    paths_.put(counts_);
    cut_times_.assign(chain_.stages * engine::tick_kinds, 0);
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      double* const here = cut_times_.data() + s * engine::tick_kinds;
      for (std::size_t kind = 0; kind < 3; ++kind) here[kind] = chain_.pass(kind, s, points_[s], points_[s + 1]);
      here[engine::tick_message] = chain_.message(s, points_[s + 1]);
    }
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += cut_times_[i];
    if (++summed_ == 10) {
      (void)simulator_.of_times(sums_);
      simulator_.count_critical(counts_);
      paths_.put(counts_);
      sums_.assign(sums_.size(), 0);
      summed_ = 0;
    }
    paths_.learn(cut_times_, mean, speed);
  }

  const engine::chain_ticks& chain_;
  const engine::stage_layout& layout_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  engine::coarse_ticks times_;
  engine::weighted_paths paths_;
  weighted_cuts cuts_;
  std::vector<std::size_t> points_;
  std::vector<double> now_{};  // the mean, as counts
  std::vector<double> best_{};
  std::vector<double> counts_{};
  std::vector<double> cut_times_{};
  std::vector<double> sums_;  // of the times of some cuts: their critical path helps for all of them
  std::size_t summed_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
