// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/detail/cut_simulator.hpp>
#include <stagecut/makespan/detail/cut_space.hpp>
#include <stagecut/makespan/detail/gpipe_cut.hpp>
#include <stagecut/makespan/detail/incumbent.hpp>
#include <stagecut/makespan/detail/layered_graph.hpp>
#include <stagecut/makespan/detail/least_average.hpp>
#include <stagecut/makespan/detail/local_search.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/makespan/detail/starting_cut.hpp>
#include <stagecut/makespan/detail/tie_search.hpp>
#include <stagecut/makespan/detail/whole_ticks.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0::detail {

/// Finds the cut of least makespan in ticks of one size: a layered graph of all that may be better than the best known,
/// then the search that proves. See docs/makespan.md, The search.
class tick_search {
 public:
  /// @param best  begins empty
  tick_search(const chain_ticks& chain, const makespan_request& request, const cut_rules& rules, search_clock& clock,
              incumbent& best)
      : chain_(chain),
        request_(request),
        rules_(rules),
        clock_(clock),
        best_(best),
        layout_(request.order),
        simulator_(chain, request.order, request.transfers),
        local_(request.order, rules, simulator_, clock_, request.limits.evaluator),
        space_(chain, request.order, request.transfers, layout_, rules, simulator_, clock_) {}

  /// Offers a cut to begin with, as `starting_cut`.
  [[nodiscard]] state begin() {
    return starting_cut(chain_, request_, rules_, simulator_, clock_, best_).find(space_.stages(), layout_);
  }

  /// Finds the best cut. Until the limit.
  void run() {
    improve(layout_.kind == stage_layout::shape::chain ? tries() / 4 : 8 * tries());
    if (layout_.kind != stage_layout::shape::chain) return grow_pairs();
    if (!grow_graphs()) return;
    take_bound_cut(space_.graph());
    if (!best_.proved()) improve(tries());
    if (!best_.proved()) raise_bound();
    if (!best_.proved() && is_gpipe()) solve_gpipe();
    if (!best_.proved()) branch();
  }

  /// Among the best cuts, the one of the lightest heaviest stage, then the lexicographically smallest. Whether it is.
  [[nodiscard]] bool settle_ties() {
    if (!best_.proved() || !space_.holds(best_.makespan()) || clock_.look()) return false;
    tie_search ties(chain_, layout_, space_, clock_, best_);
    return is_gpipe() ? ties.run_gpipe(request_.order.microbatches, is_serial(), simulator_) : ties.run();
  }

  /// What simulates, and what holds the graph.
  /// @{
  [[nodiscard]] cut_simulator& simulator() noexcept { return simulator_; }
  [[nodiscard]] cut_space& space() noexcept { return space_; }
  /// @}

 private:
  /// How many cuts to look at, so that it takes about a hundredth of a second.
  [[nodiscard]] std::size_t tries() const {
    const std::size_t tasks =
        2 * chain_.stages * request_.order.microbatches * request_.order.slices * (chain_.has_messages ? 2 : 1);
    const std::size_t wanted = 10'000'000 / (tasks + 1);
    return wanted < 100 ? 100 : wanted > 4000 ? 4000 : wanted;
  }

  void improve(std::size_t tries) {
    std::vector<std::size_t> points = best_.points();
    double makespan = best_.makespan();
    local_(points, makespan, best_.bound(), tries);
    clock_.state.simulations = simulator_.simulations;
    best_.offer(points, makespan);
  }

  /// The graph of all cuts that are not worse than the best. Where it is too large, those for less come first, and the
  /// bounds and cuts that they give keep the last one small.
  bool grow_graphs() {
    best_.raise(detail::least_average(chain_, request_.order));
    if (space_.build(best_.makespan())) return best_.raise(space_.graph().least_bound()), true;
    for (double part = 64; part > 1 && !clock_.look(); part /= 2) {
      const double target = whole_ticks(best_.bound() + (best_.makespan() - best_.bound()) / part);
      if (!space_.build(target)) return false;
      if (space_.graph().edges.empty()) {
        best_.raise(target + 1);
        continue;
      }
      best_.raise(space_.graph().least_bound());
      take_bound_cut(space_.graph());
      improve(8 * tries());
      attempt(target, 1000);
      if (best_.proved()) break;
    }
    if (!space_.build(best_.makespan())) return false;
    return best_.raise(space_.graph().least_bound()), true;
  }

  /// With two stages a rank the graph of all cuts may be large. So graphs of fewer come first, for makespans a part of the
  /// way from the bound to the best: what is proved of each is the next bound, and the sooner, the larger the next part.
  void grow_pairs() {
    best_.raise(detail::least_average(chain_, request_.order));
    const auto offer = [this](view<const std::size_t> points, double makespan) {
      if (makespan < best_.makespan() && allowed_cut(request_.order, rules_, points)) best_.offer(points, makespan);
    };
    for (double part = 8; !best_.proved() && !clock_.look();) {
      const double gap = best_.makespan() - 1 - best_.bound();
      const double least = gap < best_.makespan() / 512 ? gap : best_.makespan() / 512;
      const double target = best_.bound() + whole_ticks(gap / part < least ? least : gap / part);
      if (!space_.build(target, offer)) {
        if (clock_.look() || part > 64) return;
        part *= 2;
      } else if (space_.graph().edges.empty()) {
        best_.raise(target + 1);
        part = part > 4 ? part / 2 : part;
      } else {
        best_.raise(space_.graph().least_bound());
        take_bound_cut(space_.graph());
        const std::size_t rounds = exhaust(target);
        part = rounds < 3 && part > 1 ? part / 2 : rounds > 5 && part < 8 ? part * 2 : part;
      }
    }
    if (best_.proved()) (void)space_.build(best_.makespan());
  }

  /// Goes on until the graph is known to have no cut better than the best of makespan `most` or less, with more partial cuts
  /// each round. Returns how many rounds that took.
  std::size_t exhaust(double most) {
    std::size_t rounds = 0;
    for (std::size_t nodes = 1000; best_.bound() <= most && !best_.proved() && !clock_.look(); nodes *= 2) {
      if (rounds++ > 0) improve(nodes / 1000 * tries() / 4);
      for (const double part : {8.0, 2.0, 1.0}) {
        const double last = best_.makespan() - 1 < most ? best_.makespan() - 1 : most;
        if (best_.bound() > last || clock_.look()) return rounds;
        attempt(best_.bound() + whole_ticks((last - best_.bound()) / part), nodes);
      }
    }
    return rounds;
  }

  /// The cut whose largest bound is least is often the best one.
  void take_bound_cut(const layered_graph& graph) {
    const std::vector<std::uint32_t> path = graph.least_path();
    if (path.size() != layout_.steps() + 1) return;
    std::vector<std::size_t> points(chain_.stages + 1);
    points.back() = chain_.items;
    for (std::size_t t = 0; t + 1 < path.size(); ++t) {
      const auto& u = graph.nodes[path[t]];
      for (std::size_t j = 0; j < layout_.width(t); ++j) {
        points[layout_.stage(t, j)] = layout_.part(j, u, graph.nodes[path[t + 1]]).first;
      }
    }
    if (allowed_cut(request_.order, rules_, points)) best_.offer(points, simulator_(points));
  }

  /// The least makespan that the bounds of stages do not exclude, by bisection: docs/makespan.md, Cuts as paths
  /// (destructive bounds).
  void raise_bound() {
    if (!space_.stages().in_flight()) return;
    double low = best_.bound();
    double high = best_.makespan();
    while (low < high && !clock_.look()) {
      const double middle = low + whole_ticks((high - low) / 2);
      const layered_graph graph = space_.within(middle);
      if (clock_.look()) return;
      if (graph.edges.empty()) {
        low = middle + 1;
        best_.raise(low);
      } else {
        high = middle;
        take_bound_cut(graph);
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

  /// Proves that there is no cut of makespan `most` or less, or finds one: docs/makespan.md, The search.
  void attempt(double most, std::size_t nodes) {
    layered_graph graph = space_.within(most);
    if (clock_.look()) return;
    const auto better = [&](view<const std::size_t> points, double value) {
      best_.offer(points, value);
      return value - 1;
    };
    const auto left =
        graph.edges.empty() ? cut_search::result::none : space_.search()(graph, most, nodes, true, better);
    if (left == cut_search::result::none) best_.raise((most < best_.makespan() - 1 ? most : best_.makespan() - 1) + 1);
  }

  /// Low targets first: they are soon done, and what is learned from them makes the last one easy.
  void branch() {
    for (std::size_t nodes = 1000; !best_.proved() && !clock_.look(); nodes *= 2) {
      if (nodes > 1000) improve(nodes / 1000 * tries() / 4);
      space_.shrink(best_.makespan());
      for (const double part : {32.0, 8.0, 2.0, 1.0}) {
        if (best_.proved() || clock_.look()) break;
        const double gap = best_.makespan() - 1 - best_.bound();
        attempt(best_.bound() + whole_ticks(gap / part), nodes);
      }
    }
  }

  const chain_ticks& chain_;
  const makespan_request& request_;
  const cut_rules& rules_;
  search_clock& clock_;
  incumbent& best_;
  stage_layout layout_;
  cut_simulator simulator_;
  local_search local_;
  cut_space space_;
};

}  // namespace stagecut::inline v0::detail
