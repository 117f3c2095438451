// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/makespan/detail/limit_rows.hpp>
#include <stagecut/makespan/detail/load_values.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A range of loads; `high < 0`: empty.
struct load_range {
  double low = engine::no_ticks;
  double high = -1;

  void add(double load) {
    low = std::min(low, load);
    high = load > high ? load : high;
  }
};

/// The possible loads of stages together with the others of their rank, within the rank's load and memory.
class stage_loads {
 public:
  explicit stage_loads(const load_values& loads) : loads_(loads) {}

  /// Narrows the limits of the stages of a rank, and the rank's load. Returns whether there can be cuts. If there are
  /// few combinations of stage loads, enumerates them, else combines each load of a stage with each joint load of the
  /// others, ignoring the limits of the others.
  [[nodiscard]] bool narrow(std::size_t rank, load_range& takes, std::vector<load_limit>& limits) {
    const std::vector<std::size_t>& stages = loads_.stages_of(rank);
    if (stages.size() < 2) return true;
    double ways = 1;
    choices_.assign(stages.size(), {});
    found_.assign(stages.size(), {});
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (loads_.of_stage(stages[i]).empty()) return true;  // the memory of the rank is unknown
      for (const load_values::entry& entry : loads_.of_stage(stages[i])) {
        if (within(limits, group_of(stages[i]), entry.load)) choices_[i].push_back(entry);
      }
      ways *= static_cast<double>(choices_[i].size());
    }
    if (ways > most_ways) {
      for (std::size_t i = 0; i < stages.size(); ++i) choose_each(i, loads_.of_others(stages[i]), takes);
    } else {
      sums_ = {};
      taken_.assign(stages.size(), 0);
      choose_all(0, {0, 0}, takes);
    }
    takes = sums_;
    if (takes.high < 0) return false;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const load_values::table& all = loads_.of_stage(stages[i]);
      if (found_[i].low > all.front().load) add_limit(limits, {group_of(stages[i]), false, found_[i].low});
      if (found_[i].high < all.back().load) add_limit(limits, {group_of(stages[i]), true, found_[i].high});
    }
    return true;
  }

 private:
  static constexpr double most_ways = 20'000;

  [[nodiscard]] std::size_t group_of(std::size_t stage) const { return loads_.ranks() + stage; }

  [[nodiscard]] static bool within(const std::vector<load_limit>& limits, std::size_t group, double load) {
    for (const load_limit& limit : limits) {
      if (limit.group == group && (limit.at_most ? load > limit.load : load < limit.load)) return false;
    }
    return true;
  }

  /// Chooses loads for the stages from the i-th on; the ones before have the sums `so_far`.
  void choose_all(std::size_t i, const load_values::entry& so_far, const load_range& takes) {
    if (so_far.load > takes.high || so_far.held > loads_.limit()) return;
    if (i == choices_.size()) {
      if (so_far.load < takes.low) return;
      for (std::size_t j = 0; j < i; ++j) found_[j].add(taken_[j]);
      return sums_.add(so_far.load);
    }
    for (const load_values::entry& each : choices_[i]) {
      taken_[i] = each.load;
      choose_all(i + 1, {so_far.load + each.load, so_far.held + each.held}, takes);
    }
  }

  void choose_each(std::size_t i, const load_values::table& others, const load_range& takes) {
    sums_ = {};
    for (const load_values::entry& each : choices_[i]) {
      const double low = takes.low - each.load;
      for (std::size_t j = detail::gallop(0, others.size(), 0, [&](std::size_t k) { return others[k].load >= low; });
           j < others.size() && others[j].load <= takes.high - each.load; ++j) {
        if (each.held + others[j].held > loads_.limit()) continue;
        found_[i].add(each.load);
        sums_.add(each.load + others[j].load);
      }
    }
  }

  const load_values& loads_;
  // Per stage of a rank:
  std::vector<load_values::table> choices_{};
  std::vector<double> taken_{};
  std::vector<load_range> found_{};
  load_range sums_{};
};

/// The possible loads of ranks for one microbatch if a cut is to finish in time: a rank with a larger load leaves too
/// little time for what comes before its first pass and after its last; and all ranks together run all items. See
/// docs/makespan.md, Bounds, Domains.
class rank_loads {
 public:
  /// @param passes  of a stage in an iteration
  rank_loads(const engine::chain_ticks& chain, const schedule& order, const point_times& times,
             const load_values& loads, double passes, engine::cut_simulator& simulator)
      : loads_(loads), passes_(passes), rests_(times), range_(order.ranks()), stages_(loads) {
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      if (loads.values(r).empty()) return;
    }
    for (std::size_t s = 0; s < chain.stages; ++s) {
      for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w}) {
        if (chain.row(kind, s) != chain.row(kind, 0)) return;  // the total load depends on the cut
        all_ += chain.own(kind, s);
      }
    }
    for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w})
      all_ += chain.row(kind, 0)[chain.items];
    applies_ = add_rests(chain, order, times, simulator);
  }

  /// Whether it gives bounds: the ranks have few loads, with the same sum in all cuts.
  [[nodiscard]] bool applies() const noexcept { return applies_; }
  /// Per rank, a row: the rest of a path through all its passes.
  [[nodiscard]] const point_rows& rests() const noexcept { return rests_; }

  /// Narrows the limits of ranks and of their stages. Returns whether there can be cuts.
  ///
  /// @param rests  lower bounds on these rows, in the part with these limits
  /// @param most   the largest makespan of interest
  [[nodiscard]] bool narrow(std::vector<load_limit>& limits, const std::vector<double>& rests, double most) {
    for (std::size_t r = 0; r < range_.size(); ++r) {
      const std::vector<double>& values = loads_.values(r);
      range_[r] = {values.front(), values.back()};
      for (const load_limit& limit : limits) {
        if (limit.group != r) continue;
        if (limit.at_most && limit.load < range_[r].high) range_[r].high = limit.load;
        if (!limit.at_most && limit.load > range_[r].low) range_[r].low = limit.load;
      }
      const double left = (most - rests[r]) / passes_;
      if (!to_values(r, range_[r].low, left < range_[r].high ? left : range_[r].high)) return false;
    }
    if (!narrow_sums()) return false;
    for (std::size_t r = 0; r < range_.size(); ++r) {
      load_range& takes = range_[r];
      if (!stages_.narrow(r, takes, limits) || !to_values(r, takes.low, takes.high)) return false;
    }
    if (!narrow_sums()) return false;
    for (std::size_t r = 0; r < range_.size(); ++r) {
      if (range_[r].high < loads_.values(r).back()) add_limit(limits, {r, true, range_[r].high});
      if (range_[r].low > loads_.values(r).front()) add_limit(limits, {r, false, range_[r].low});
    }
    return true;
  }

  /// A lower bound on a cut whose ranks keep to the limits after `narrow`.
  [[nodiscard]] double bound(const std::vector<double>& rests) const {
    double most = 0;
    for (std::size_t r = 0; r < range_.size() && applies_; ++r) {
      const double here = passes_ * range_[r].low + rests[r];
      most = std::max(most, here);
    }
    return most;
  }

  /// The rank whose largest possible load gives the worst bound, and its two largest possible loads; none: no rank is
  /// certain to exceed `least` by that.
  [[nodiscard]] load_split longest(const std::vector<double>& rests, double least) const {
    load_split best;
    for (std::size_t r = 0; r < range_.size() && applies_; ++r) {
      if (!(range_[r].low < range_[r].high)) continue;
      const double here = passes_ * range_[r].high + rests[r];
      if (here < least || here < best.score) continue;
      const std::vector<double>& values = loads_.values(r);
      const std::size_t at =
          detail::gallop(0, values.size(), values.size(), [&](std::size_t i) { return values[i] >= range_[r].high; });
      best = {r, values[at - 1], values[at], here};
    }
    return best;
  }

 private:
  /// Limits the load of each rank to what the others leave, until nothing changes.
  [[nodiscard]] bool narrow_sums() {
    double low = 0;
    double high = 0;
    for (const load_range& range : range_) low += range.low, high += range.high;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < range_.size(); ++r) {
        const load_range before = range_[r];
        const double least = all_ - (high - before.high);
        const double largest = all_ - (low - before.low);
        const double from = least > before.low ? least : before.low;
        if (!to_values(r, from, largest < before.high ? largest : before.high)) return false;
        changed = changed || range_[r].low > before.low || range_[r].high < before.high;
        low += range_[r].low - before.low;
        high += range_[r].high - before.high;
      }
    }
    return true;
  }

  /// The values of a rank in a range; ticks are whole, so half of one covers the rounding of quotients.
  [[nodiscard]] bool to_values(std::size_t r, double low, double high) {
    const std::vector<double>& values = loads_.values(r);
    const std::size_t first =
        detail::gallop(0, values.size(), 0, [&](std::size_t i) { return values[i] >= low - 0.5; });
    const std::size_t last =
        detail::gallop(first, values.size(), first, [&](std::size_t i) { return values[i] > high + 0.5; });
    if (first == last) return false;
    range_[r] = {values[first], values[last - 1]};
    return true;
  }

  /// The longest path if a single rank takes long passes through all of it.
  [[nodiscard]] bool add_rests(const engine::chain_ticks& chain, const schedule& order, const point_times& times,
                               engine::cut_simulator& simulator) {
    const auto stages_of = engine::stages_of_ranks(order);
    std::vector<double> passes;
    std::vector<double> counts;
    std::vector<double> factors;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      passes.assign(chain.stages * engine::tick_kinds, 0x1p-30);
      for (const std::size_t s : stages_of[r]) {
        for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w})
          passes[s * engine::tick_kinds + kind] = 1;
      }
      simulator.of_times(passes);
      simulator.count_critical(counts);
      for (const std::size_t s : stages_of[r]) {
        for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w}) {
          double& count = counts[s * engine::tick_kinds + kind];
          if (kind == engine::tick_w && !chain.splits) continue;
          if (count != passes_) return false;
          count = 0;
        }
      }
      times.factors(counts, factors);
      rests_.set(r, factors);
    }
    return true;
  }

  const load_values& loads_;
  double passes_;
  double all_ = 0;
  bool applies_ = false;
  point_rows rests_;
  std::vector<load_range> range_;
  stage_loads stages_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
