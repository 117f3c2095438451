// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/cut_improver.hpp>
#include <stagecut/makespan/detail/cuts_within.hpp>
#include <stagecut/makespan/detail/tick_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the cut of least makespan: good cuts, then a layered graph of all that may be better, then the search that proves.
class makespan_search {
 public:
  makespan_search(engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules,
                  cut_improver_ref improver = {})
      : chain_(chain),
        request_(request),
        clock_(request.limits),
        best_(clock_, chain.tick, chain.error(), step_of(chain)),
        search_(chain, request, rules, clock_, best_, improver) {}

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
    // Nothing that matters is rounded by much once the tick is that of a cut that is not far from the best.
    if (chain_.error() > 0) refine();
    search();
    while (chain_.error() > known_makespan_ * 0x1p-35 && known_makespan_ < chain_.most() / 2 && !clock_.look()) {
      refine();
      search();
    }
    const bool settled = search_.settle_ties();
    makespan_cut result;
    if (chain_.error() > 0) {
      result = told_unrounded(settled);
    } else {
      result.cuts = cuts(best_.points());
      result.makespan = in_units(best_.makespan());
      result.bound = in_units(best_.bound());
      result.ties_settled = settled;
    }
    if (request_.within) collect_cuts_within(chain_, request_, search_.simulator(), search_.space(), result);
    result.nodes = clock_.state.nodes;
    result.simulations = search_.simulator().simulations;
    return result.bound < result.makespan ? answer::feasible(std::move(result)) : answer::optimal(std::move(result));
  }

 private:
  [[nodiscard]] static double step_of(const engine::chain_ticks& chain) noexcept {
    return chain.error() > 0 ? 1 : chain.step();
  }

  [[nodiscard]] double in_units(double ticks) const { return ticks * chain_.tick; }

  /// Keeps a cut that is allowed, if before rounding it is better than the ones before.
  void remember(view<const std::size_t> points) {
    const double makespan = search_.simulator().unrounded(points);
    if (makespan >= known_makespan_ && !known_.empty()) return;
    known_.assign(points.begin(), points.end());
    known_makespan_ = makespan;
  }

  /// Makes the tick that of the best cut known, to begin anew.
  void refine() {
    chain_.scale(known_makespan_);
    best_.restart(chain_.tick, chain_.error(), step_of(chain_));
    best_.offer(known_, search_.simulator()(known_));
  }

  /// Whether rounding tells cuts apart as well as adding up doubles does.
  [[nodiscard]] bool is_fine() const { return chain_.error() <= known_makespan_ * 0x1p-30; }

  /// Finds the best cut in ticks.
  void search() {
    search_.run();
    if (chain_.error() == 0) return;
    remember(best_.points());
    const double least = best_.certain_bound();
    certain_bound_ = std::max(certain_bound_, least);
  }

  /// The answer where times were rounded.
  [[nodiscard]] makespan_cut told_unrounded(bool settled) {
    makespan_cut result;
    const bool proved = best_.proved() && is_fine();
    result.makespan = search_.simulator().unrounded(best_.points());
    const bool as_good = result.makespan <= known_makespan_ * (1 + 0x1p-45);
    if (!as_good) result.makespan = known_makespan_;
    result.cuts = cuts(as_good ? best_.points() : known_);
    result.ties_settled = settled && proved && as_good;
    result.bound = proved || certain_bound_ > result.makespan ? result.makespan : certain_bound_;
    clock_.state.makespan = result.makespan;
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
  double known_makespan_ = 0;         // in the user's unit, as is the bound that rounding leaves
  double certain_bound_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
