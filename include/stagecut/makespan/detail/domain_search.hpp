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
#include <stagecut/makespan/detail/domain_split.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Branch and bound on where cut points may lie. A part of all cuts is a domain for every point; its bound is the largest
/// least, over its cuts, of critical paths and of a combination of them. Knows nothing of the schedule but paths. See
/// docs/makespan.md, Bounds, Domains, and The search.
class domain_search {
 public:
  /// @param best  its bound is raised, and better cuts are offered
  domain_search(const engine::chain_ticks& chain, const schedule& order, const engine::cut_rules& rules,
                engine::cut_simulator& simulator, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain), clock_(clock), best_(best), bounds_(chain, order, rules, simulator, clock, best) {}

  /// Whether it can bound these chains: sums of rounded numbers must tell good cuts apart, and a sweep over all places must
  /// not take too long.
  [[nodiscard]] bool fits() const {
    const bool fine = chain_.error() == 0 || bounds_.step() <= best_.makespan() * 0x1p-20;
    return fine && chain_.items * chain_.stages <= (std::size_t{1} << 20U);
  }

  /// Begins with all cuts.
  /// @pre there is a best one
  void begin() {
    bounds_.learn(best_.points());
    domain_queue::part all{0, point_domains(chain_.items, chain_.stages), {}, {}};
    if (!bounds_.filter(all)) return best_.raise(last());
    bounds_.combine(all, root_steps, 20);
    queue_.push(std::move(all));
    best_.raise(next_makespan(queue_.least()));
  }

  /// No cut has less.
  [[nodiscard]] double bound() const {
    const double least = queue_.empty() ? last() : next_makespan(queue_.least());
    return least < last() ? least : last();
  }

  /// Looks at parts for about so many nodes, or until the bound meets the best. Returns whether anything is left to do that
  /// it can do: not at a limit, nor with too many parts.
  bool run(std::size_t nodes) {
    const std::size_t end = clock_.state.nodes + nodes;
    while (clock_.state.nodes < end && !queue_.empty() && !best_.proved() && !clock_.over()) {
      domain_queue::part now = queue_.pop();
      if (now.bound > bounds_.target()) {
        queue_.clear();
        break;
      }
      look(now);
      if (clock_.over()) {  // it may not have been looked at to the end
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
  static constexpr std::size_t part_choices = 600;  // of a graph take as long as a part without its combination

  /// The least makespan that is no less: whole ticks, or whole steps if nothing was rounded.
  [[nodiscard]] double next_makespan(double least) const {
    const double step = chain_.error() == 0 ? chain_.step() : 1;
    return engine::whole_ticks_up(least / step) * step;
  }
  /// The bound when no part is left: that of the best, unless a better cut could be too little better to be told apart.
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

  /// The cut of domains of one place each.
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
