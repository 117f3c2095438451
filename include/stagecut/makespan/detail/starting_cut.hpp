// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/parts/any_constraint.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/engine/path_pool.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/detail/memory_cut.hpp>
#include <stagecut/makespan/detail/pair_graph.hpp>
#include <stagecut/makespan/detail/stage_graph.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Cuts of a chain with nearly equal ranks but unequal chunks, each with one stage of every rank: small first ones, so
/// that the pipeline fills soon, or large ones, so that nothing waits. Chunks may begin at any rank; the first and last
/// part of a chunk then form one stage. If layers are alike, such cuts are far from each other, and so are good cuts of
/// different kinds.
class chunk_cuts {
 public:
  /// @param load   per item
  /// @param ranks  that have the same number of stages
  chunk_cuts(view<const double> load, std::size_t stages, std::size_t ranks)
      : ranks_(ranks), chunks_(stages / ranks), sums_(load.size() + 1) {
    for (std::size_t i = 0; i < load.size(); ++i) sums_[i + 1] = sums_[i] + load[i];
  }

  /// Visits at most about `most` of them: all assignments of as many units as a rank has items, or fewer, to the
  /// chunks, and all ranks that chunks begin at.
  template <class Visit>
  void each(std::size_t most, const Visit& visit) {
    std::size_t units = (sums_.size() - 1) / ranks_;
    while (units > chunks_ && ways(units) > static_cast<double>(most)) --units;
    if (units <= chunks_) return;  // all the same
    const double all = ways(units) * static_cast<double>(ranks_) / static_cast<double>(most);
    const std::size_t step = 1 + static_cast<std::size_t>(all);
    std::vector<std::size_t> of_chunk(chunks_, 1);
    of_chunk.back() = units - (chunks_ - 1);
    for (;;) {
      for (std::size_t begin = 0; begin < ranks_; begin += step) {
        if (fill(of_chunk, begin, units)) visit(view<const std::size_t>(points_));
      }
      // The next assignment: one more for the last chunk but one that may have it, the minimum for later ones.
      std::size_t c = chunks_ - 1;
      while (c > 0 && of_chunk[c] == 1) --c;
      if (c == 0) return;
      ++of_chunk[c - 1];
      const std::size_t left = of_chunk[c] - 1;
      of_chunk[c] = 1;
      of_chunk.back() = left;
    }
  }

 private:
  /// The number of assignments of units to chunks, at least one each.
  [[nodiscard]] double ways(std::size_t units) const {
    double result = 1;
    for (std::size_t c = 1; c < chunks_; ++c) result *= static_cast<double>(units - c) / static_cast<double>(c);
    return result;
  }

  /// Cuts where the sums of loads are nearest to the stages' targets. False: there are too few items.
  [[nodiscard]] bool fill(const std::vector<std::size_t>& of_chunk, std::size_t begin, std::size_t units) {
    const std::size_t stages = ranks_ * chunks_;
    const std::size_t items = sums_.size() - 1;
    const double unit = sums_.back() / static_cast<double>(units * ranks_);
    if (items < stages) return false;
    points_.assign(stages + 1, 0);
    double share = 0;
    for (std::size_t s = 0; s + 1 < stages; ++s) {
      share += static_cast<double>(of_chunk[(s + begin) / ranks_ % chunks_]) * unit;
      std::size_t at = points_[s] + 1;
      while (at + (stages - 1 - s) < items && sums_[at] + sums_[at + 1] < 2 * share) ++at;
      points_[s + 1] = at;
    }
    points_.back() = items;
    return true;
  }

  std::size_t ranks_;
  std::size_t chunks_;
  std::vector<double> sums_;
  std::vector<std::size_t> points_{};
};

/// Finds a starting cut: the best of the smallest-bottleneck one, the uniform one and the user's; with several stages
/// per rank, also unequal chunks; if stages differ, also one filled from the front; if rules forbid some stages
/// together on a rank, any.
class starting_cut {
 public:
  starting_cut(const engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules,
               engine::cut_simulator& simulator, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain), request_(request), rules_(rules), simulator_(simulator), clock_(clock), best_(best) {}

  /// Offers the cuts found; otherwise returns infeasible, which is proved, or unknown.
  [[nodiscard]] state find(const stage_graph& stages, const engine::stage_layout& layout) {
    const std::size_t n = chain_.items;
    std::vector<double> load(n);
    for (std::size_t s = 0; s < chain_.stages; ++s) {
      for (std::size_t i = 0; i < n; ++i) load[i] += chain_.item_load(s, i);
    }
    const known_prefixes<double> cost{prefix_sums(load)};
    const engine::stage_rules rules(rules_, clock_);
    const auto light = minimize_bottleneck(cost, chain_.stages, any_constraint(rules));
    if (!light) return clock_.look() ? state::unknown : state::infeasible;
    offer(light->cuts);
    offer_chunks(load);
    if (chain_.stages > request_.schedule.ranks()) {  // further starts: light in one direction only
      for (const std::size_t kind : {engine::tick_f, engine::tick_b}) {
        for (std::size_t i = 0; i < n; ++i) load[i] = chain_.item(kind, 0, i);
        const auto other = minimize_bottleneck(known_prefixes<double>{prefix_sums(load)}, chain_.stages);
        if (other) offer(other->cuts);
      }
    }
    offer(uniform_cuts(n, chain_.stages)->cuts);
    if (chain_.stages_differ()) offer(cuts(filled_from_front()));
    if (request_.start) offer(*request_.start);
    return best_.any() ? state::feasible : find_any(stages, layout);
  }

  /// All cuts offered.
  std::vector<std::vector<std::size_t>> offered{};

 private:
  /// Parts of the search by memory, if a graph of pairs follows.
  static constexpr std::size_t most_parts = 2000;
  /// Passes simulated for cuts with unequal chunks, some hundredths of a second.
  static constexpr std::size_t most_passes = 4'000'000;

  /// Keeps a cut if it is allowed and better.
  void offer(const cuts& cut) {
    if (!engine::allowed_cut(request_.schedule, rules_, cut.points())) return;
    best_.offer(cut.points(), simulator_(cut.points()));
    offered.emplace_back(cut.points().begin(), cut.points().end());
    clock_.state.evaluations = simulator_.simulations;
  }

  /// Keeps cuts with unequal chunks that beat all previous ones.
  void offer_chunks(view<const double> load) {
    const std::size_t ranks = request_.schedule.ranks();
    const std::size_t passes = 2 * chain_.stages * request_.schedule.microbatches * request_.schedule.slices;
    if (chain_.stages < 2 * ranks || chain_.stages % ranks != 0) return;
    chunk_cuts(load, chain_.stages, ranks).each(most_passes / passes, [&](view<const std::size_t> points) {
      if (clock_.look()) return;
      const double makespan = simulator_(points);
      if (!best_.any() || makespan < best_.makespan()) offer(cuts({points.begin(), points.end()}));
    });
  }

  /// A cut with a small bottleneck in each stage's own times: bisects for the smallest sufficient load, filling each
  /// stage with as many items as fit.
  [[nodiscard]] std::vector<std::size_t> filled_from_front() const {
    std::vector<std::size_t> best(chain_.stages + 1);
    std::vector<std::size_t> now(chain_.stages + 1);
    const auto fill = [&](double most) {
      for (std::size_t s = 0; s < chain_.stages; ++s) {
        std::size_t from = now[s] + 1;  // bisection for the last end that is light enough
        std::size_t to = chain_.items - (chain_.stages - 1 - s);
        if (chain_.load(s, now[s], from) > most) return false;
        while (from < to) {
          const std::size_t middle = to - (to - from) / 2;
          if (chain_.load(s, now[s], middle) > most) {
            to = middle - 1;
          } else {
            from = middle;
          }
        }
        now[s + 1] = from;
      }
      return now.back() == chain_.items;
    };
    double low = 0;
    double high = 0;
    for (std::size_t s = 0; s < chain_.stages; ++s) high += chain_.load(s, 0, chain_.items);
    if (fill(high)) best = now;
    while (low < high) {
      const double middle = low + static_cast<double>(static_cast<std::int64_t>((high - low) / 2));
      if (fill(middle)) {
        best = now;
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return best;
  }

  /// Any cut that satisfies the rules of ranks, if there is one.
  state find_any(const stage_graph& stages, const engine::stage_layout& layout) {
    const bool by_pairs = layout.kind != engine::stage_layout::shape::chain;
    memory_cut memory(request_.schedule, rules_, chain_.items, clock_);
    const state by_memory = memory.find(by_pairs ? most_parts : ~std::size_t{0});
    if (by_memory == state::feasible) offer(cuts(memory.points));
    if (best_.any()) return state::feasible;
    if (by_memory == state::infeasible) return state::infeasible;
    engine::layered_graph graph;
    if (by_pairs) {
      pair_graph pairs(chain_, request_.schedule, layout, rules_);
      if (!pairs.build_untimed(false, cut_space::most_edges, clock_, graph)) return state::unknown;
    } else if (!stages.build(engine::no_ticks, cut_space::most_edges, clock_, graph)) {
      return state::unknown;
    }
    engine::path_pool pool(chain_, layout, engine::path_pool::lanes);
    cut_search search(chain_, request_.schedule, layout, rules_, simulator_, pool, clock_);
    const auto take = [&](view<const std::size_t> points, double value) {
      best_.offer(points, value);
      return -1.0;
    };
    const auto found = search(graph, engine::no_ticks / 2, ~std::size_t{0} / 2, true, take);
    if (best_.any()) return state::feasible;
    return found == cut_search::result::none ? state::infeasible : state::unknown;
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
