// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/domain_queue.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>
#include <stagecut/makespan/detail/path_combination_bound.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>
#include <stagecut/makespan/detail/rank_loads.hpp>
#include <stagecut/makespan/detail/row_bounds.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Recently useful critical paths, as rows. Row 0 is a combination of other paths that the caller sets.
class path_memory {
 public:
  static constexpr std::size_t most = 96;

  explicit path_memory(const point_times& times) : times_(times), rows_(times) {
    rows_.set(0, std::vector<double>(rows_.length(), 0));
  }

  [[nodiscard]] const point_rows& rows() const noexcept { return rows_; }

  /// Sets row 0 to these factors; without any, to zeros, which are also a bound.
  void set_combination(const std::vector<double>& factors) {
    if (factors.empty()) {
      rows_.set(0, std::vector<double>(rows_.length(), 0));
    } else {
      rows_.set(0, factors);
    }
  }

  /// Notes that a row gave a bound.
  void use(std::size_t row) {
    if (row != 0) paths_.use(row - 1) += 1;
  }

  /// Keeps the critical path of the last simulation, in place of the least used one if there are too many. Returns its
  /// index; 0: it was there.
  std::size_t keep(const engine::cut_simulator& simulator, const path_combination_bound& game) {
    simulator.count_critical(counts_);
    times_.factors(counts_, factors_);
    if (paths_.find(factors_) < paths_.size()) return 0;
    for (std::size_t k = 0; k < paths_.size() && paths_.is_full(); ++k) {
      paths_.use(k) = 0.98 * paths_.use(k) + 10 * game.weight(k + 1);
    }
    const std::size_t place = 1 + paths_.add(factors_, 4).row;
    rows_.set(place, factors_);
    return place;
  }

 private:
  const point_times& times_;
  point_rows rows_;
  engine::critical_path_pool paths_{most - 1};  // the factors of all rows but the first
  std::vector<double> counts_{};
  std::vector<double> factors_{};
};

/// Bounds parts of the set of all cuts by critical paths, by combinations of them, and by limits on cuts. Depends on
/// the schedule only through paths. See docs/makespan.md, Bounds, Domains.
class domain_bounds {
 public:
  /// @param best  contains a cut; better ones are offered to it
  domain_bounds(const engine::chain_ticks& chain, const schedule& order, const engine::cut_rules& rules,
                engine::cut_simulator& simulator, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain),
        order_(order),
        rules_(rules),
        simulator_(simulator),
        clock_(clock),
        best_(best),
        held_(order, rules, chain.items, best.makespan(), clock),
        times_(chain, &held_),
        bounds_(times_),
        paths_(times_),
        loads_(chain, order, held_),
        limits_(times_, loads_, static_cast<double>(order.microbatches * order.slices), held_),
        ranks_(chain, order, times_, loads_, static_cast<double>(order.microbatches * order.slices), simulator),
        game_(bounds_),
        margin_(times_.margin(order.microbatches * order.slices)),
        step_(chain.error() > 0 && chain.step() < 8 * margin_ ? 8 * margin_ : chain.step()) {}

  /// The least improvement that counts as a better cut.
  [[nodiscard]] double step() const noexcept { return step_; }
  /// The next better makespan that is possible.
  [[nodiscard]] double target() const { return best_.makespan() - step_; }
  /// The cuts of the last combination, with their weights.
  [[nodiscard]] const path_combination_bound& game() const noexcept { return game_; }
  /// The possible loads of ranks.
  [[nodiscard]] const load_values& loads() const noexcept { return loads_; }

  /// A bound on the cuts of a part that have the point after `place`, or there or before it, as known to `filter`.
  /// @{
  [[nodiscard]] double behind(const domain_queue::part& of, std::size_t point, std::size_t place) const {
    return certain(of, bounds_.from(point, place + 1));
  }
  [[nodiscard]] double up_to(const domain_queue::part& of, std::size_t point, std::size_t place) const {
    return certain(of, bounds_.up_to(point, place));
  }
  /// @}

  /// The longest loads of a rank that separate cuts of a part, as known to `filter`, if that is enough.
  [[nodiscard]] load_split longest_load(const domain_queue::part& of) const {
    return ranks_.longest(rests_, of.bound + share * (target() - of.bound));
  }

  /// Simulates a cut and keeps its critical path; returns its index, 0: it was known.
  std::size_t learn(const std::vector<std::size_t>& points) {
    const double makespan = simulator_(points);
    clock_.state.evaluations = simulator_.simulations;
    if (makespan < best_.makespan() && engine::allowed_cut(order_, rules_, points)) best_.offer(points, makespan);
    return paths_.keep(simulator_, game_);
  }

  /// Finds a combination of paths and limits that bounds the cuts of a part, in at most `steps` steps; stops once the
  /// possible gain is below a part of the gap.
  void combine(domain_queue::part& of, std::size_t steps, double parts_of_gap) {
    if (of.rounded > 4) of.combination.clear();
    paths_.set_combination(of.combination);
    limits_.set(of.loads);
    game_.begin(paths_.rows(), limits_.rows(), of.domains, of.bound);
    for (std::size_t i = 0; i < steps && !(game_.bound - margin_ * of.rounded > target()) && !clock_.over(); ++i) {
      clock_.work(step_choices);
      if (game_.step(paths_.rows(), of.domains)) update(learn(game_.cuts.back()));
      if (game_.cut_weights().empty()) continue;
      mean_times();
      const double makespan = simulator_.of_times(mean_);
      const double above = game_.above_limits();
      update(paths_.keep(simulator_, game_));
      if (((makespan < above ? above : makespan) - game_.bound) * parts_of_gap < best_.makespan() - game_.bound) break;
    }
    if (game_.factors.empty()) return;
    of.rounded = 1 + game_.priced + (of.combination.empty() ? 0 : game_.carried * of.rounded);
    of.combination = game_.factors;
    const double bound = certain(of, game_.bound);
    of.bound = std::max(of.bound, bound);
  }

  /// Bounds a part by all rows and removes positions that no good cut has. Returns whether anything is left.
  bool filter(domain_queue::part& now) {
    to_ = now.domains;
    for (int round = 0; round < 4; ++round) {
      if (!sweep(now)) return false;
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

 private:
  static constexpr double share = 0.5;
  static constexpr std::size_t step_choices = 600;  // choices of a graph that take as long as a step of the game

  [[nodiscard]] double certain(const domain_queue::part& of, double least) const {
    return least - margin_ * of.rounded;
  }

  void update(std::size_t row) {
    if (row != 0) game_.update(paths_.rows(), row);
  }

  /// Computes the mean stage times over the cuts of the game.
  void mean_times() {
    mean_.assign(chain_.stages * engine::tick_kinds, 0);
    for (std::size_t c = 0; c < game_.cut_weights().size(); ++c) {
      const double weight = game_.cut_weights()[c];
      if (weight == 0) continue;
      const std::vector<std::size_t>& points = game_.cuts[c];
      for (std::size_t s = 0; s < chain_.stages; ++s) {
        double* const to = mean_.data() + s * engine::tick_kinds;
        for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w}) {
          to[kind] += weight * chain_.pass(kind, s, points[s], points[s + 1]);
        }
        if (chain_.has_messages) to[engine::tick_message] += weight * chain_.message(s, points[s + 1]);
      }
    }
  }

  /// Narrows the loads of ranks, and sets the limits of the part. False: no good cut is left.
  bool narrow(domain_queue::part& now) {
    double least[row_bounds::lanes];
    rests_.clear();
    for (std::size_t g = 0; g < ranks_.rests().groups() && ranks_.applies(); ++g) {
      bounds_.sweep(ranks_.rests(), g, least);
      for (const double each : least) rests_.push_back(each - margin_);
    }
    if (ranks_.applies() && !ranks_.narrow(now.loads, rests_, target())) return false;
    limits_.set(now.loads);
    const double bound = ranks_.bound(rests_);
    now.bound = std::max(now.bound, bound);
    return !(now.bound > target());
  }

  /// Computes the minimum of every row, and per position. False: no good cut is left.
  bool sweep(domain_queue::part& now) {
    double least[row_bounds::lanes];
    bounds_.begin(now.domains);
    if (!narrow(now)) return false;
    const point_rows& limits = limits_.rows();
    for (std::size_t g = 0; g < limits.groups() && !clock_.over(); ++g) {
      bounds_.sweep(limits, g, least);
      for (const double each : least) {
        if (each > margin_) return false;
      }
      bounds_.mark(margin_);
    }
    paths_.set_combination(now.combination);
    double most = 0;
    std::size_t decides = 0;
    for (std::size_t g = 0; g < paths_.rows().groups() && !clock_.over(); ++g) {
      bounds_.sweep(paths_.rows(), g, least);
      for (std::size_t l = 0; l < row_bounds::lanes; ++l) {
        if (most < least[l]) most = least[l], decides = g * row_bounds::lanes + l;
      }
      if (certain(now, most) > target()) return false;
      bounds_.mark();
    }
    paths_.use(decides);
    now.bound = now.bound < certain(now, most) ? certain(now, most) : now.bound;
    return true;
  }

  const engine::chain_ticks& chain_;
  const schedule& order_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  held_memory held_;
  point_times times_;
  row_bounds bounds_;
  path_memory paths_;
  load_values loads_;
  limit_rows limits_;
  rank_loads ranks_;
  std::vector<double> rests_{};
  path_combination_bound game_;
  double margin_;  // the most that rounding can raise a bound, for paths and for combinations of them
  double step_;
  point_domains to_{0, 0};
  std::vector<double> mean_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
