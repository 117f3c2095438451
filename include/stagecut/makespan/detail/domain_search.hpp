// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/detail/cut_simulator.hpp>
#include <stagecut/makespan/detail/domain_queue.hpp>
#include <stagecut/makespan/detail/domain_split.hpp>
#include <stagecut/makespan/detail/incumbent.hpp>
#include <stagecut/makespan/detail/path_game.hpp>
#include <stagecut/makespan/detail/path_memory.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>
#include <stagecut/makespan/detail/row_bounds.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/makespan/detail/whole_ticks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0::detail {

/// Branch and bound on where cut points may lie. A part of all cuts is a domain for every point; its bound is the largest
/// least, over its cuts, of critical paths and of a combination of them. Knows nothing of the schedule but paths. See
/// docs/makespan.md, Bounds, Domains, and The search.
class domain_search {
 public:
  /// @param best  its bound is raised, and better cuts are offered
  domain_search(const chain_ticks& chain, const schedule& order, const cut_rules& rules, cut_simulator& simulator,
                search_clock& clock, incumbent& best)
      : chain_(chain),
        order_(order),
        rules_(rules),
        simulator_(simulator),
        clock_(clock),
        best_(best),
        times_(chain),
        bounds_(times_),
        paths_(times_),
        game_(bounds_),
        margin_(times_.margin(order.microbatches * order.slices)),
        step_(chain.error() > 0 && chain.step() < 8 * margin_ ? 8 * margin_ : chain.step()) {}

  /// Whether it can bound these chains: sums of rounded numbers must tell good cuts apart, and a sweep over all places must
  /// not take too long.
  [[nodiscard]] bool fits() const {
    const bool fine = chain_.error() == 0 || step_ <= best_.makespan() * 0x1p-36;
    return fine && chain_.items * chain_.stages <= (std::size_t{1} << 20U);
  }

  /// Begins with all cuts.
  /// @pre there is a best one
  void begin() {
    learn(best_.points());
    domain_queue::part all{0, point_domains(chain_.items, chain_.stages), {}};
    combine(all, root_steps, 20);
    queue_.push(std::move(all));
    best_.raise(whole(queue_.least()));
  }

  /// No cut has less.
  [[nodiscard]] double bound() const {
    return queue_.empty() || queue_.least() > best_.makespan() ? best_.makespan() : queue_.least();
  }

  /// Looks at parts for about so many nodes, or until the bound meets the best. Returns whether anything is left to do that
  /// it can do: not at a limit, nor with too many parts.
  bool run(std::size_t nodes) {
    const std::size_t end = clock_.state.nodes + nodes;
    while (clock_.state.nodes < end && !queue_.empty() && !best_.proved() && !clock_.over()) {
      domain_queue::part now = queue_.pop();
      if (now.bound > target()) {
        queue_.clear();
        break;
      }
      look(now);
      if (clock_.over()) {  // it may not have been looked at to the end
        queue_.push(std::move(now));
        return false;
      }
      if (!queue_.empty()) best_.raise(whole(queue_.least()));
    }
    if (queue_.empty()) best_.raise(best_.makespan());
    return !best_.proved() && queue_.size() < most_parts && !clock_.over();
  }

 private:
  static constexpr std::size_t root_steps = 500;
  static constexpr std::size_t most_parts = 200'000;
  static constexpr std::size_t step_choices = 600;  // of a graph take as long as a step of the game

  /// The next better makespan that there may be.
  [[nodiscard]] double target() const { return best_.makespan() - step_; }
  [[nodiscard]] double certain(const domain_queue::part& of, double least) const {
    return least - margin_ * of.rounded;
  }
  /// Rounded up: no cut takes part of a tick.
  [[nodiscard]] static double whole(double value) {
    const double down = value < 0 ? 0 : whole_ticks(value);
    return down < value ? down + 1 : down;
  }

  /// Simulates a cut and keeps its critical path; says where, 0: it was known.
  std::size_t learn(const std::vector<std::size_t>& points) {
    const double makespan = simulator_(points);
    clock_.state.simulations = simulator_.simulations;
    if (makespan < best_.makespan() && allowed_cut(order_, rules_, points)) best_.offer(points, makespan);
    return paths_.keep(simulator_, game_);
  }

  /// Looks for a combination of paths that bounds the cuts of a part; until no more than a part of the gap can be gained.
  void combine(domain_queue::part& of, std::size_t steps, double parts_of_gap) {
    if (of.rounded > 4) of.combination.clear();
    paths_.set_combination(of.combination);
    game_.begin(paths_.rows(), of.domains);
    for (std::size_t i = 0; i < steps && !(certain(of, game_.bound) > target()) && !clock_.over(); ++i) {
      clock_.work(step_choices);
      if (game_.step(paths_.rows(), of.domains)) update(learn(game_.cuts.back()));
      if (game_.cut_weights.empty()) continue;
      mean_times();
      const double most = simulator_.of_times(mean_);
      update(paths_.keep(simulator_, game_));
      if ((most - game_.bound) * parts_of_gap < best_.makespan() - game_.bound) break;
    }
    if (game_.factors.empty()) return;
    of.rounded = of.combination.empty() ? 1 : 1 + game_.carried * of.rounded;
    of.combination = game_.factors;
    const double bound = certain(of, game_.bound);
    of.bound = of.bound < bound ? bound : of.bound;
  }
  void update(std::size_t row) {
    if (row != 0) game_.update(paths_.rows(), row);
  }

  /// What stages take in the mean of the cuts of the game.
  void mean_times() {
    mean_.assign(chain_.stages * tick_kinds, 0);
    for (std::size_t c = 0; c < game_.cut_weights.size(); ++c) {
      const double weight = game_.cut_weights[c];
      if (weight == 0) continue;
      const std::vector<std::size_t>& points = game_.cuts[c];
      for (std::size_t s = 0; s < chain_.stages; ++s) {
        double* const to = mean_.data() + s * tick_kinds;
        for (const std::size_t kind : {tick_f, tick_b, tick_w}) {
          to[kind] += weight * chain_.pass(kind, s, points[s], points[s + 1]);
        }
        if (chain_.has_messages) to[tick_message] += weight * chain_.message(s, points[s + 1]);
      }
    }
  }

  /// Bounds a part by all rows and leaves out places that no good cut has. Returns whether anything is left.
  bool filter(domain_queue::part& now) {
    for (int round = 0; round < 4; ++round) {
      paths_.set_combination(now.combination);
      bounds_.begin(now.domains);
      double most = 0;
      for (std::size_t g = 0; g < paths_.rows().groups(); ++g) {
        double least[row_bounds::lanes];
        bounds_.sweep(paths_.rows(), g, least);
        for (std::size_t l = 0; l < row_bounds::lanes; ++l) {
          if (most < least[l]) most = least[l], decides_ = g * row_bounds::lanes + l;
        }
        if (certain(now, most) > target()) return false;
        bounds_.mark();
      }
      paths_.use(decides_);
      now.bound = now.bound < certain(now, most) ? certain(now, most) : now.bound;
      bool changed = false;
      for (std::size_t j = 1; j < chain_.stages; ++j) {
        std::uint32_t low = now.domains.low[j];
        std::uint32_t high = now.domains.high[j];
        while (low <= high && certain(now, bounds_.at(j, low)) > target()) ++low;
        while (high > low && certain(now, bounds_.at(j, high)) > target()) --high;
        if (low > high) return false;
        changed = changed || low != now.domains.low[j] || high != now.domains.high[j];
        to_.low[j] = low;
        to_.high[j] = high;
      }
      if (!changed) return true;
      now.domains = to_;
      if (!now.domains.tighten()) return false;
    }
    return true;
  }

  /// Bounds a part, and splits it if it may have better cuts.
  void look(domain_queue::part& now) {
    clock_.work(step_choices);
    to_ = now.domains;
    if (!filter(now)) return;
    if (!now.domains.single()) {
      combine(now, 2 * chain_.stages + 40, 2);
      if (now.bound > target() || clock_.over() || !filter(now)) return;
    }
    if (now.domains.single()) {
      static_cast<void>(learn(only(now.domains)));
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

  /// Splits a domain in two.
  void branch(domain_queue::part& now) {
    const domain_split at = split_.choose(chain_, game_, now.domains);
    domain_queue::part other = now;
    other.domains.low[at.point] = static_cast<std::uint32_t>(at.place + 1);
    now.domains.high[at.point] = static_cast<std::uint32_t>(at.place);
    add(std::move(other), certain(now, bounds_.from(at.point, at.place + 1)));
    add(domain_queue::part(now), certain(now, bounds_.up_to(at.point, at.place)));
  }
  void add(domain_queue::part&& part, double bound) {
    part.bound = part.bound < bound ? bound : part.bound;
    if (part.bound <= target() && part.domains.tighten()) queue_.push(std::move(part));
  }

  const chain_ticks& chain_;
  const schedule& order_;
  const cut_rules& rules_;
  cut_simulator& simulator_;
  search_clock& clock_;
  incumbent& best_;
  point_times times_;
  row_bounds bounds_;
  path_memory paths_;
  path_game game_;
  double margin_;  // what a bound may be too high for being rounded, of paths and of a combination of them
  double step_;    // by which a better cut is better
  domain_queue queue_{};
  point_domains to_{0, 0};
  std::size_t decides_ = 0;  // the row with the largest least
  std::vector<double> mean_{};
  domain_splits split_{};
};

}  // namespace stagecut::inline v0::detail
