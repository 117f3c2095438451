// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/detail/destructive_bounding.hpp>
#include <stagecut/makespan/detail/gpipe_cut.hpp>
#include <stagecut/makespan/detail/interleaved_search.hpp>
#include <stagecut/makespan/detail/least_average.hpp>
#include <stagecut/makespan/detail/primal_heuristics.hpp>
#include <stagecut/makespan/detail/starting_cut.hpp>
#include <stagecut/makespan/detail/tie_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Adds to an answer all cuts within the requested fraction of its makespan, in ticks of the longest of them.
inline void collect_cuts_within(engine::chain_ticks& chain, const makespan_request& request,
                                engine::cut_simulator& simulator, cut_space& space, makespan_cut& result) {
  if (request.most_within == 0) return;
  const double factor = 1 + *request.within;
  const double longest = result.value * factor;
  const bool rescaled = longest > chain.most();
  if (rescaled) chain.scale(longest);
  const std::vector<std::size_t> own(result.cuts.points().begin(), result.cuts.points().end());
  const double least = simulator(own);
  const double wanted = chain.error() > 0 ? (longest + chain.error()) / chain.tick + 1 : least * factor;
  constexpr double beyond = 0x1p52;  // above any makespan in ticks
  double most = wanted < beyond ? static_cast<double>(static_cast<std::int64_t>(wanted)) : beyond;
  // Cuts are reported with their makespans before rounding, whose order may differ from the order in ticks.
  const bool rounded = chain.error() > 0;
  std::optional<engine::cut_simulator> before_rounding;
  if (rounded) before_rounding.emplace(chain, request.schedule, request.transfers);
  const auto reported = [&](view<const std::size_t> points, double value) {
    return rounded ? before_rounding->unrounded(points) : value * chain.tick;
  };
  std::vector<std::pair<double, std::vector<std::size_t>>> all;
  all.emplace_back(reported(own, least), own);
  bool dropped = false;
  const auto keep = [&](view<const std::size_t> points, double value) {
    std::pair<double, std::vector<std::size_t>> here{reported(points, value), {points.begin(), points.end()}};
    if (rounded && here.first > longest) return most;
    const std::size_t place = detail::gallop(0, all.size(), 0, [&](std::size_t i) { return !(all[i] < here); });
    if (place == all.size() || all[place] != here) {
      all.push_back(std::move(here));
      for (std::size_t i = all.size() - 1; i > place; --i) std::swap(all[i], all[i - 1]);
    }
    if (all.size() > request.most_within) {
      all.pop_back();
      dropped = true;
      const double last = (all.back().first + chain.error()) / chain.tick;
      const double enough = rounded ? static_cast<double>(static_cast<std::int64_t>(last)) + 1 : last;
      most = std::min(most, enough);
    }
    return most;
  };
  if ((!rescaled && space.holds(most)) || space.build(most)) {
    engine::layered_graph graph = space.within(most);
    const auto left = space.search()(graph, most, ~std::size_t{0} / 2, true, keep);
    result.all_within = left == cut_search::result::none && !dropped;
  }
  for (const auto& [value, points] : all) result.within.push_back({cuts(points), value});
}

/// Finds the optimal cut in ticks of one size: a layered graph of all cuts that may beat the best, then the search that
/// proves. See docs/makespan.md, The search.
class tick_search {
 public:
  /// @param best  starts empty
  tick_search(const engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules,
              engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain),
        request_(request),
        rules_(rules),
        clock_(clock),
        best_(best),
        layout_(request.schedule),
        simulator_(chain, request.schedule, request.transfers),
        improve_(chain, request, rules, simulator_, clock, best),
        space_(chain, request.schedule, request.transfers, layout_, rules, simulator_, clock_),
        attempts_(chain, request, layout_, rules, simulator_, space_, clock, best) {}

  /// Offers a starting cut, as `starting_cut`.
  [[nodiscard]] state begin() {
    starting_cut start(chain_, request_, rules_, simulator_, clock_, best_);
    const state found = start.find(space_.stages(), layout_);
    improve_.starts = std::move(start.offered);
    return found;
  }

  /// Finds the best cut, until the limit.
  void run() {
    improve_.restart();
    attempts_.restart();
    if (chain_.stages > request_.schedule.ranks()) {
      interleaved_search(chain_, request_, layout_, rules_, simulator_, space_, attempts_, improve_, clock_, best_)
          .run();
      return;
    }
    improve_(1);
    best_.raise(detail::least_average(chain_, request_.schedule));
    attempts_.ask_for_bound();
    if (!grow_graphs()) return;
    attempts_.take_bound_cut(space_.graph());
    improve_(1);
    if (!best_.proved()) raise_bound();
    if (!best_.proved() && is_gpipe()) solve_gpipe();
    for (std::size_t nodes = 1000; !best_.proved() && !clock_.look(); nodes *= 2) {
      if (nodes > 1000) improve_(nodes / 1000);
      attempts_.attempt_all(nodes);
    }
  }

  /// Selects among the best cuts the one with the smallest bottleneck, then the lexicographically smallest. Returns
  /// whether this succeeded.
  [[nodiscard]] bool settle_ties() {
    if (!best_.proved() || clock_.look()) return false;
    if (!space_.holds(best_.makespan()) && !space_.build(best_.makespan())) return false;
    tie_search ties(chain_, layout_, space_, clock_, best_);
    return is_gpipe() ? ties.run_gpipe(request_.schedule.microbatches, is_serial(), simulator_) : ties.run();
  }

  /// The simulator and the graph.
  /// @{
  [[nodiscard]] engine::cut_simulator& simulator() noexcept { return simulator_; }
  [[nodiscard]] cut_space& space() noexcept { return space_; }
  /// @}

 private:
  /// Builds the graph of all cuts that are no worse than the best. If it is too large, graphs for smaller makespans
  /// come first; their bounds and cuts keep the last one small.
  bool grow_graphs() {
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

  /// Raises the bound to the smallest makespan that the stage bounds do not exclude, by bisection: docs/makespan.md,
  /// Cuts as paths (destructive bounds).
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
      if ((high - low) * 1e5 < high) break;  // the search does the rest
    }
  }

  [[nodiscard]] bool is_gpipe() const {
    if (!space_.stages().in_flight() || (chain_.has_messages && request_.transfers != transfer_kind::link &&
                                         request_.transfers != transfer_kind::latency)) {
      return false;
    }
    for (const std::size_t each : *space_.stages().in_flight()) {
      if (each != request_.schedule.microbatches) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_serial() const { return chain_.has_messages && request_.transfers == transfer_kind::link; }

  void solve_gpipe() {
    gpipe_cut solver(chain_, request_.schedule.microbatches, is_serial(), space_.graph());
    if (!solver.run(best_.makespan(), clock_) || solver.points.size() != chain_.stages + 1) return;
    best_.replace(solver.points, simulator_(solver.points));
    best_.raise(solver.makespan);
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const engine::cut_rules& rules_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  engine::stage_layout layout_;
  engine::cut_simulator simulator_;
  primal_heuristics improve_;
  cut_space space_;
  destructive_bounding attempts_;
};

/// Finds the optimal cut: good cuts, then a layered graph of all cuts that may be better, then the search that proves.
class makespan_search {
 public:
  makespan_search(engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules)
      : chain_(chain),
        request_(request),
        clock_(request.search),
        best_(clock_, chain.tick, chain.error(), step_of(chain)),
        search_(chain, request, rules, clock_, best_) {}

  [[nodiscard]] outcome<makespan_cut> run() {
    using answer = outcome<makespan_cut>;
    const state first = search_.begin();
    if (first == state::infeasible) return answer::infeasible({reason::cause::constraint, 0, 0});
    if (first == state::unknown) return answer::unknown({reason::cause::limit_reached});
    remember(best_.points());
    if (request_.start) remember(request_.start->points());
    if (!is_finite(known_makespan_)) {
      fail(invalid_input("model", "the sum of all passes and transfers is not representable"));
    }
    // Rounding errors are small once the tick is derived from a nearly optimal cut.
    do {
      if (chain_.error() > 0) refine();
      search_.run();
      if (chain_.error() > 0) remember_rounded();
    } while (chain_.error() > known_makespan_ * 0x1p-35 && known_makespan_ < chain_.most() / 2 && !clock_.look());
    const bool settled = search_.settle_ties();
    makespan_cut result;
    if (chain_.error() > 0) {
      result = report_unrounded(settled);
    } else {
      result.cuts = cuts(best_.points());
      result.value = in_units(best_.makespan());
      result.bound = in_units(best_.bound());
      result.ties_settled = settled;
    }
    if (request_.within) collect_cuts_within(chain_, request_, search_.simulator(), search_.space(), result);
    result.statistics.nodes = clock_.state.nodes;
    result.statistics.evaluations = search_.simulator().simulations;
    return result.bound < result.value ? answer::feasible(std::move(result)) : answer::optimal(std::move(result));
  }

 private:
  [[nodiscard]] static double step_of(const engine::chain_ticks& chain) noexcept {
    return chain.error() > 0 ? 1 : chain.step();
  }

  [[nodiscard]] double in_units(double ticks) const { return ticks * chain_.tick; }

  /// Keeps an allowed cut if it beats the previous ones before rounding.
  void remember(view<const std::size_t> points) {
    const double makespan = search_.simulator().unrounded(points);
    if (makespan >= known_makespan_ && !known_.empty()) return;
    known_.assign(points.begin(), points.end());
    known_makespan_ = makespan;
  }

  /// Derives the tick from the best cut known, to start anew.
  void refine() {
    chain_.scale(known_makespan_);
    best_.restart(chain_.tick, chain_.error(), step_of(chain_));
    best_.offer(known_, search_.simulator()(known_));
  }

  /// Whether rounding separates cuts as well as sums of doubles do.
  [[nodiscard]] bool is_fine() const { return chain_.error() <= known_makespan_ * 0x1p-30; }

  /// Keeps what was found in rounded ticks.
  void remember_rounded() {
    remember(best_.points());
    const double least = best_.certain_bound();
    certain_bound_ = std::max(certain_bound_, least);
  }

  /// The answer if times were rounded.
  [[nodiscard]] makespan_cut report_unrounded(bool settled) {
    makespan_cut result;
    const bool proved = best_.proved() && is_fine();
    result.value = search_.simulator().unrounded(best_.points());
    const bool as_good = result.value <= known_makespan_ * (1 + 0x1p-45);
    if (!as_good) result.value = known_makespan_;
    result.cuts = cuts(as_good ? best_.points() : known_);
    result.ties_settled = settled && proved && as_good;
    result.bound = proved || certain_bound_ > result.value ? result.value : certain_bound_;
    clock_.state.value = result.value;
    clock_.state.bound = result.bound;
    clock_.tell();
    return result;
  }

  engine::chain_ticks& chain_;
  const makespan_request& request_;
  engine::search_clock clock_;
  engine::incumbent best_;
  tick_search search_;
  std::vector<std::size_t> known_{};  // the best cut before rounding
  double known_makespan_ = 0;         // in the user's unit, as is the bound after rounding
  double certain_bound_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
