// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>
#include <stagecut/makespan/detail/domain_bounds.hpp>
#include <stagecut/makespan/detail/domain_queue.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/load_values.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A split of a domain: positions up to `place` on one side, later ones on the other.
struct domain_split {
  std::size_t point = 0;
  std::size_t place = 0;
  double score = 0;  ///< estimated increase of the bounds
};

/// Cuts and their weights, of sum 1; cuts after the last weight have none.
struct mixed_cuts {
  const std::vector<std::vector<std::size_t>>& points;
  const std::vector<double>& weights;
};

/// Chooses splits.
class domain_splits {
 public:
  /// The point and item that the cuts disagree on most: the smaller share of those that have the item before the point
  /// or after it, times the item's time. If they agree on all, the widest domain at its middle.
  ///
  /// @pre  the domains have more than one cut
  [[nodiscard]] domain_split choose(const engine::chain_ticks& chain, const mixed_cuts& cuts,
                                    const point_domains& domains) {
    double most = 0;
    domain_split best;
    for (std::size_t j = 1; j < chain.stages; ++j) {
      const std::size_t low = domains.low[j];
      const double all = share_out(cuts, j, low, domains.high[j]);
      double before = 0;
      for (std::size_t y = low; y < domains.high[j]; ++y) {
        before += shares_[y - low];
        const double behind = all - before;
        const double score = (before < behind ? before : behind) * chain.item_load(j, y);
        if (score > most) most = score, best = {j, y, score};
      }
    }
    return best.point != 0 ? best : widest(domains);
  }

  /// The rank or stage whose mean load over the cuts is furthest from every load possible within the limits; and the
  /// neighbouring values below and above. On transformers, ranks bring most, and then stages, so they count more.
  [[nodiscard]] static load_split choose(const load_values& loads, const std::vector<load_limit>& limits,
                                         const mixed_cuts& cuts) {
    load_split best;
    for (std::size_t g = 0; g < loads.groups(); ++g) {
      const std::vector<double>& values = loads.values(g);
      double mean = 0;
      for (std::size_t c = 0; c < cuts.weights.size() && !values.empty(); ++c) {
        mean += cuts.weights[c] * loads.load(g, cuts.points[c]);
      }
      for (const load_limit& limit : limits) {
        if (limit.group == g && (limit.at_most ? mean >= limit.load : mean <= limit.load)) mean = -1;
      }
      for (std::size_t i = 0; i + 1 < values.size(); ++i) {
        if (mean <= values[i] || mean >= values[i + 1]) continue;
        const double below = mean - values[i];
        const double above = values[i + 1] - mean;
        const double score = (g < loads.ranks() ? 4 : 2) * (below < above ? below : above);
        if (score > best.score) best = {g, values[i], values[i + 1], score};
      }
    }
    return best;
  }

 private:
  /// The share of the cuts that have the point at each position; returns their sum.
  double share_out(const mixed_cuts& cuts, std::size_t point, std::size_t low, std::size_t high) {
    shares_.assign(high - low + 1, 0);
    double all = 0;
    for (std::size_t c = 0; c < cuts.weights.size(); ++c) {
      const std::size_t y = cuts.points[c][point];
      if (y < low || y > high) continue;
      shares_[y - low] += cuts.weights[c];
      all += cuts.weights[c];
    }
    return all;
  }

  [[nodiscard]] static domain_split widest(const point_domains& domains) {
    domain_split best;
    std::size_t width = 0;
    for (std::size_t j = 1; j < domains.low.size(); ++j) {
      const std::size_t here = domains.high[j] - domains.low[j];
      if (here > width) width = here, best = {j, domains.low[j] + here / 2, 0};
    }
    return best;
  }

  std::vector<double> shares_{};
};

/// Branch and bound on the positions of cut points. A part of the set of all cuts has one domain per point; its bound
/// is the largest, over critical paths and a combination of them, of the minimum over its cuts. Depends on the schedule
/// only through paths. See docs/makespan.md, Bounds, Domains, and The search.
class domain_search {
 public:
  /// @param best  its bound is raised, and better cuts are offered to it
  domain_search(const engine::chain_ticks& chain, const schedule& order, const engine::cut_rules& rules,
                engine::cut_simulator& simulator, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain), clock_(clock), best_(best), bounds_(chain, order, rules, simulator, clock, best) {}

  /// Whether these chains can be bounded: sums of rounded numbers must separate good cuts, and a sweep over all
  /// positions must not take too long.
  [[nodiscard]] bool fits() const {
    const bool fine = chain_.error() == 0 || bounds_.step() <= best_.makespan() * 0x1p-20;
    return fine && chain_.items * chain_.stages <= (std::size_t{1} << 20U);
  }

  /// Starts with all cuts.
  /// @pre there is a best one
  void begin() {
    bounds_.learn(best_.points());
    domain_queue::part all{0, point_domains(chain_.items, chain_.stages), {}, {}};
    if (!bounds_.filter(all)) return best_.raise(last());
    bounds_.combine(all, root_steps, 20);
    queue_.push(std::move(all));
    best_.raise(next_makespan(queue_.least()));
  }

  /// A lower bound on all cuts.
  [[nodiscard]] double bound() const {
    const double least = queue_.empty() ? last() : next_makespan(queue_.least());
    return least < last() ? least : last();
  }

  /// Examines parts for about `nodes` nodes, or until the bound meets the best. Returns whether it can do more: false
  /// at a limit, or with too many parts.
  bool run(std::size_t nodes) {
    const std::size_t end = clock_.state.nodes + nodes;
    while (clock_.state.nodes < end && !queue_.empty() && !best_.proved() && !clock_.over()) {
      domain_queue::part now = queue_.pop();
      if (now.bound > bounds_.target()) {
        queue_.clear();
        break;
      }
      look(now);
      if (clock_.over()) {  // its examination may be incomplete
        queue_.push(std::move(now));
        return false;
      }
      if (!queue_.empty()) best_.raise(next_makespan(queue_.least()));
    }
    if (queue_.empty()) best_.raise(last());
    return !queue_.empty() && !best_.proved() && queue_.size() < most_parts && !clock_.over();
  }

 private:
  static constexpr std::size_t root_steps = 500;
  static constexpr std::size_t most_parts = 200'000;
  static constexpr std::size_t part_choices = 600;  // of a graph, as long as a part without its combination

  /// Rounds up to a possible makespan: whole ticks, or whole steps if nothing was rounded.
  [[nodiscard]] double next_makespan(double least) const {
    const double step = chain_.error() == 0 ? chain_.step() : 1;
    return engine::whole_ticks_up(least / step) * step;
  }
  /// The bound once no part is left: the best, unless a better cut could be too close to be distinguished.
  [[nodiscard]] double last() const {
    const bool told = chain_.error() == 0 || bounds_.step() <= best_.makespan() * engine::chain_ticks::unsure;
    return told ? best_.makespan() : bounds_.target();
  }

  /// Bounds a part, and splits it if it may have better cuts.
  void look(domain_queue::part& now) {
    clock_.work(part_choices);
    if (!bounds_.filter(now)) return;
    if (!now.domains.single()) {
      bounds_.combine(now, 2 * chain_.stages + 40, 2);
      if (now.bound > bounds_.target() || clock_.over() || !bounds_.filter(now)) return;
    }
    if (now.domains.single()) {
      static_cast<void>(bounds_.learn(only(now.domains)));
    } else {
      branch(now);
    }
  }

  /// The cut of domains with one position each.
  [[nodiscard]] std::vector<std::size_t> only(const point_domains& domains) const {
    std::vector<std::size_t> points(chain_.stages + 1);
    for (std::size_t j = 1; j < chain_.stages; ++j) points[j] = domains.low[j];
    points.back() = chain_.items;
    return points;
  }

  /// Splits a part in two.
  void branch(domain_queue::part& now) {
    const mixed_cuts cuts{bounds_.game().cuts, bounds_.game().cut_weights()};
    const domain_split at = split_.choose(chain_, cuts, now.domains);
    load_split of = bounds_.longest_load(now);
    if (of.score == 0) of = domain_splits::choose(bounds_.loads(), now.loads, cuts);
    domain_queue::part other = now;
    if (of.score > at.score) {
      add_limit(other.loads, {of.group, false, of.above});
      add_limit(now.loads, {of.group, true, of.below});
      add(std::move(other), now.bound);
      return add(domain_queue::part(now), now.bound);
    }
    const double behind = bounds_.behind(now, at.point, at.place);
    const double up_to = bounds_.up_to(now, at.point, at.place);
    other.domains.low[at.point] = static_cast<std::uint32_t>(at.place + 1);
    now.domains.high[at.point] = static_cast<std::uint32_t>(at.place);
    add(std::move(other), behind);
    add(domain_queue::part(now), up_to);
  }
  void add(domain_queue::part&& part, double bound) {
    part.bound = std::max(part.bound, bound);
    if (part.bound <= bounds_.target() && part.domains.tighten()) queue_.push(std::move(part));
  }

  const engine::chain_ticks& chain_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  domain_bounds bounds_;
  domain_queue queue_{};
  domain_splits split_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
