// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/destructive_bounding.hpp>
#include <stagecut/makespan/detail/domain_search.hpp>
#include <stagecut/makespan/detail/least_average.hpp>
#include <stagecut/makespan/detail/primal_heuristics.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the best cut if ranks have several stages: heuristics, branch and bound on domains, and graphs of cuts
/// alternate, and share the best cut and the bound. See docs/makespan.md, The search.
class interleaved_search {
 public:
  interleaved_search(const engine::chain_ticks& chain, const makespan_request& request,
                     const engine::stage_layout& layout, const engine::cut_rules& rules,
                     engine::cut_simulator& simulator, cut_space& space, destructive_bounding& attempts,
                     primal_heuristics& improve, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain),
        order_(request.schedule),
        layout_(layout),
        rules_(rules),
        simulator_(simulator),
        space_(space),
        attempts_(attempts),
        improve_(improve),
        clock_(clock),
        best_(best) {}

  /// Runs until the limit.
  void run() {
    improve(8);
    if (improve_.number_of_cuts() > few_cuts) begin_domains();
    best_.raise(detail::least_average(chain_, order_));
    attempts_.ask_for_bound();
    if (best_.proved()) return;
    if (layout_.kind == engine::stage_layout::shape::chain) {
      if (space_.build(best_.makespan())) branch();
    } else {
      grow_pairs();
    }
    while (domains_ && !best_.proved() && !clock_.look()) {  // without a graph
      search_domains(100'000);
    }
  }

 private:
  static constexpr double few_cuts = 50'000;  // few enough that a graph finishes soon

  /// Searches for better cuts for `effort` hundredths of a second, and again as long as it finds any.
  void improve(std::size_t effort) {
    for (double before = engine::no_ticks; best_.makespan() < before && !best_.proved() && !clock_.look();) {
      before = best_.makespan();
      improve_(effort);
    }
  }

  /// Bounds all cuts by the positions of their points, for about a second.
  void begin_domains() {
    domains_.emplace(chain_, order_, rules_, simulator_, clock_, best_);
    if (!domains_->fits()) return domains_.reset();
    domains_->begin();
    search_domains(60'000);
  }

  /// Continues for `nodes` nodes, and again as long as they close a tenth of the gap.
  void search_domains(std::size_t nodes) {
    for (bool again = true; again && domains_ && !best_.proved() && !clock_.look();) {
      const double gap = best_.makespan() - best_.bound();
      const std::size_t before = clock_.state.nodes;
      improve(nodes / 3000);
      if (!domains_->run(nodes)) domains_.reset();
      attempts_.ask_for_bound();
      const double left = best_.makespan() - best_.bound();
      domain_pace_ = (gap - left) / static_cast<double>(clock_.state.nodes - before + 1);
      again = left < 0.9 * gap;
    }
    last_ = clock_.state.nodes;
    last_gap_ = best_.makespan() - best_.bound();
  }

  /// After some work on a graph: twice the work on domains if they closed more of the gap for the same work, else a
  /// third.
  void keep_up() {
    const std::size_t nodes = clock_.state.nodes - last_;
    const double pace = (last_gap_ - (best_.makespan() - best_.bound())) / static_cast<double>(nodes + 1);
    improve(nodes / 2000);
    if (nodes > 0) search_domains(domain_pace_ > pace ? 2 * nodes : nodes / 3);
  }

  /// Three or more stages per rank: no edge covers all stages of a rank.
  void branch() {
    attempts_.take_bound_cut(space_.graph());
    for (std::size_t nodes = 1000; !best_.proved() && !clock_.look(); nodes *= 2) {
      search_domains(60 * nodes);
      attempts_.attempt_all(nodes);
    }
  }

  /// With two stages per rank the graph of all cuts may be large. So smaller graphs come first, for makespans a part of
  /// the way from the bound to the best: what each proves is the next bound, and the faster it is, the larger the next
  /// part.
  void grow_pairs() {
    const auto offer = [this](view<const std::size_t> points, double makespan) {
      if (makespan < best_.makespan() && engine::allowed_cut(order_, rules_, points)) best_.offer(points, makespan);
    };
    std::size_t most_nodes = 100'000;  // per graph
    for (double part = 8; !best_.proved() && !clock_.look();) {
      keep_up();
      if (best_.proved()) return;
      const double gap = best_.makespan() - 1 - best_.bound();
      const double least = gap < best_.makespan() / 512 ? gap : best_.makespan() / 512;
      const double target = best_.bound() + engine::whole_ticks(gap / part < least ? least : gap / part);
      clock_.pause_after(most_nodes);
      const bool built = space_.build(target, offer);
      const bool paused = clock_.look();
      clock_.resume();
      if (!built) {
        if (clock_.look() || (!paused && part > 64)) return;  // the graph is too large
        if (paused) most_nodes *= 2;
        part = part > 64 ? part : 2 * part;
      } else if (space_.graph().edges.empty()) {
        best_.raise(target + 1);
        part = part > 4 ? part / 2 : part;
      } else {
        best_.raise(space_.graph().least_bound());
        attempts_.take_bound_cut(space_.graph());
        const std::size_t rounds = exhaust(target);
        part = rounds < 3 && part > 1 ? part / 2 : rounds > 5 && part < 8 ? part * 2 : part;
      }
    }
  }

  /// Continues until the graph is proved to have no cut of makespan `most` or less that beats the best, with more
  /// partial cuts each round. Returns the number of rounds.
  std::size_t exhaust(double most) {
    std::size_t rounds = 0;
    for (std::size_t nodes = 1000; best_.bound() <= most && !best_.proved() && !clock_.look(); nodes *= 2) {
      if (rounds++ > 0) keep_up();
      attempts_.attempt_claimed(best_.makespan() - 1 < most ? best_.makespan() - 1 : most, nodes);
      for (const double part : {8.0, 2.0, 1.0}) {
        const double last = best_.makespan() - 1 < most ? best_.makespan() - 1 : most;
        if (best_.bound() > last || clock_.look()) return rounds;
        attempts_.attempt(best_.bound() + engine::whole_ticks((last - best_.bound()) / part), nodes);
      }
    }
    return rounds;
  }

  const engine::chain_ticks& chain_;
  const schedule& order_;
  const engine::stage_layout& layout_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  cut_space& space_;
  destructive_bounding& attempts_;
  primal_heuristics& improve_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  std::optional<domain_search> domains_{};
  std::size_t last_ = 0;  // nodes, and the gap, at the last visit to the domains
  double last_gap_ = 0;
  double domain_pace_ = 0;  // gap closed per node
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
