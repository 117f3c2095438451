// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/cut_improver.hpp>
#include <stagecut/makespan/detail/better_cuts.hpp>
#include <stagecut/makespan/detail/gpipe_cut.hpp>
#include <stagecut/makespan/detail/graph_attempts.hpp>
#include <stagecut/makespan/detail/least_average.hpp>
#include <stagecut/makespan/detail/several_search.hpp>
#include <stagecut/makespan/detail/starting_cut.hpp>
#include <stagecut/makespan/detail/tie_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the cut of least makespan in ticks of one size: a layered graph of all that may be better than the best known,
/// then the search that proves. See docs/makespan.md, The search.
class tick_search {
 public:
  /// @param best  begins empty
  tick_search(const engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules,
              engine::search_clock& clock, engine::incumbent& best, cut_improver_ref improver = {})
      : chain_(chain),
        request_(request),
        rules_(rules),
        clock_(clock),
        best_(best),
        layout_(request.order),
        simulator_(chain, request.order, request.transfers),
        improve_(chain, request, rules, simulator_, clock, best, improver),
        space_(chain, request.order, request.transfers, layout_, rules, simulator_, clock_),
        attempts_(chain, request, layout_, rules, simulator_, space_, clock, best) {}

  /// Offers a cut to begin with, as `starting_cut`.
  [[nodiscard]] state begin() {
    starting_cut start(chain_, request_, rules_, simulator_, clock_, best_);
    const state found = start.find(space_.stages(), layout_);
    improve_.starts = std::move(start.offered);
    return found;
  }

  /// Finds the best cut. Until the limit.
  void run() {
    improve_.restart();
    if (chain_.stages > request_.order.ranks()) {
      several_search(chain_, request_, layout_, rules_, simulator_, space_, attempts_, improve_, clock_, best_).run();
      return;
    }
    improve_(1);
    if (!grow_graphs()) return;
    attempts_.take_bound_cut(space_.graph());
    improve_(1);
    if (!best_.proved()) raise_bound();
    if (!best_.proved() && is_gpipe()) solve_gpipe();
    if (!best_.proved()) branch();
  }

  /// Among the best cuts, the one of the lightest heaviest stage, then the lexicographically smallest. Whether it is.
  [[nodiscard]] bool settle_ties() {
    if (!best_.proved() || clock_.look()) return false;
    if (!space_.holds(best_.makespan()) && !space_.build(best_.makespan())) return false;
    tie_search ties(chain_, layout_, space_, clock_, best_);
    return is_gpipe() ? ties.run_gpipe(request_.order.microbatches, is_serial(), simulator_) : ties.run();
  }

  /// What simulates, and what holds the graph.
  /// @{
  [[nodiscard]] engine::cut_simulator& simulator() noexcept { return simulator_; }
  [[nodiscard]] cut_space& space() noexcept { return space_; }
  /// @}

 private:
  /// The graph of all cuts that are not worse than the best. Where it is too large, those for less come first, and the
  /// bounds and cuts that they give keep the last one small.
  bool grow_graphs() {
    best_.raise(detail::least_average(chain_, request_.order));
    if (space_.build(best_.makespan())) return best_.raise(space_.graph().least_bound()), true;
    for (double part = 64; part > 1 && !clock_.look(); part /= 2) {
      const double target = engine::whole_ticks(best_.bound() + (best_.makespan() - best_.bound()) / part);
      if (!space_.build(target)) return false;
      if (space_.graph().edges.empty()) {
        best_.raise(target + 1);
        continue;
      }
      best_.raise(space_.graph().least_bound());
      attempts_.take_bound_cut(space_.graph());
      improve_(1);
      attempts_.attempt(target, 1000);
      if (best_.proved()) break;
    }
    if (!space_.build(best_.makespan())) return false;
    return best_.raise(space_.graph().least_bound()), true;
  }

  /// The least makespan that the bounds of stages do not exclude, by bisection: docs/makespan.md, Cuts as paths
  /// (destructive bounds).
  void raise_bound() {
    if (!space_.stages().in_flight()) return;
    double low = best_.bound();
    double high = best_.makespan();
    while (low < high && !clock_.look()) {
      const double middle = low + engine::whole_ticks((high - low) / 2);
      const engine::layered_graph graph = space_.within(middle);
      if (clock_.look()) return;
      if (graph.edges.empty()) {
        low = middle + 1;
        best_.raise(low);
      } else {
        high = middle;
        attempts_.take_bound_cut(graph);
      }
      if ((high - low) * 1e5 < high) break;  // the search will tell the rest
    }
  }

  [[nodiscard]] bool is_gpipe() const {
    if (!space_.stages().in_flight() || (chain_.has_messages && request_.transfers != transfer_kind::link &&
                                         request_.transfers != transfer_kind::latency)) {
      return false;
    }
    for (const std::size_t each : *space_.stages().in_flight()) {
      if (each != request_.order.microbatches) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_serial() const { return chain_.has_messages && request_.transfers == transfer_kind::link; }

  void solve_gpipe() {
    gpipe_cut solver(chain_, request_.order.microbatches, is_serial(), space_.graph());
    if (!solver.run(best_.makespan(), clock_) || solver.points.size() != chain_.stages + 1) return;
    best_.replace(solver.points, simulator_(solver.points));
    best_.raise(solver.makespan);
  }

  /// Until the bound meets the best.
  void branch() {
    for (std::size_t nodes = 1000; !best_.proved() && !clock_.look(); nodes *= 2) {
      if (nodes > 1000) improve_(nodes / 1000);
      attempts_.attempt_all(nodes);
    }
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const engine::cut_rules& rules_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  engine::stage_layout layout_;
  engine::cut_simulator simulator_;
  better_cuts improve_;
  cut_space space_;
  graph_attempts attempts_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
