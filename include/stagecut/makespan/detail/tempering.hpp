// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_lanes.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/point_moves.hpp>
#include <stagecut/engine/rank_stages.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/engine/tempering.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/slot_program.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The memory of ranks above their limit, if rules are sums of memory, so that a search can pass through cuts that are
/// not allowed.
class memory_excess {
 public:
  memory_excess(const schedule& order, const engine::cut_rules& rules)
      : rules_(rules), rank_of_(order.rank_of), stages_of_(engine::stages_of_ranks(order)) {
    applies_ = rules.has_rank_rules() && rules.memory_limit() > 0x1p-900;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      applies_ = applies_ && (stages_of_[r].empty() || rules.moments(r) != nullptr);
    }
  }

  /// Whether the rules are such sums.
  [[nodiscard]] bool applies() const noexcept { return applies_; }

  /// The excess of every rank in a cut, as a share of the limit.
  void measure(view<const std::size_t> points, std::vector<double>& of_ranks) const {
    of_ranks.assign(stages_of_.size(), 0);
    for (std::size_t r = 0; r < stages_of_.size(); ++r) of_ranks[r] = of_rank(r, points);
  }
  /// The same for the ranks of the changed stages `[first, last)`.
  void change(view<const std::size_t> points, std::size_t first, std::size_t last,
              std::vector<double>& of_ranks) const {
    const std::size_t end = last < first + stages_of_.size() ? last : first + stages_of_.size();
    if (end < last) return measure(points, of_ranks);
    for (std::size_t s = first; s < end; ++s) of_ranks[rank_of_[s]] = of_rank(rank_of_[s], points);
  }

 private:
  [[nodiscard]] double of_rank(std::size_t rank, view<const std::size_t> points) const {
    const auto* const moments = rules_.moments(rank);
    const double limit = rules_.memory_limit();
    double most = limit;
    for (std::size_t i = 0; moments != nullptr && i < moments->size(); ++i) {
      const double sum = engine::memory_at(rules_, stages_of_[rank], (*moments)[i], points);
      most = std::max(most, sum);
    }
    return most / limit - 1;
  }

  const engine::cut_rules& rules_;
  std::vector<std::size_t> rank_of_;
  std::vector<std::vector<std::size_t>> stages_of_;
  bool applies_ = false;
};

/// Random moves of a cut, see `draw_move`, to allowed cuts.
class cut_moves {
 public:
  /// The stages changed by a move.
  struct changed {
    std::size_t first[2];
    std::size_t last[2];  ///< their ends; no second ones: both 0
  };

  /// @param without_memory  skips the memory rules
  cut_moves(const schedule& order, const engine::cut_rules& rules, bool without_memory = false)
      : order_(order), rules_(rules), without_memory_(without_memory), ranks_(order) {}

  /// Moves points of a cut of two or more stages. Returns whether the result is allowed; if not, the cut is unchanged.
  [[nodiscard]] bool operator()(view<std::size_t> points, random_bits& random, changed& stages) const {
    const engine::point_move move = engine::draw_move(random, points.size() - 2, ranks_.seen());
    move.shift(points);
    stages = {{move.one.first_stage(), move.other.first_stage()}, {move.one.end, move.other.end}};
    if (move.is_in_order(points, points[points.size() - 1]) && is_allowed(points, stages)) return true;
    move.unshift(points);
    return false;
  }

 private:
  [[nodiscard]] bool is_allowed(view<const std::size_t> points, const changed& stages) const {
    for (std::size_t run = 0; run < 2; ++run) {
      for (std::size_t s = stages.first[run]; s < stages.last[run]; ++s) {
        const std::size_t last = points[s + 1];
        if (!(without_memory_ ? rules_.may_be(s, points[s], last) : rules_.allows(s, points[s], last))) return false;
      }
    }
    return without_memory_ || !rules_.has_rank_rules() || engine::allowed_cut(order_, rules_, points);
  }

  const schedule& order_;
  const engine::cut_rules& rules_;
  bool without_memory_;
  engine::rank_stages ranks_;
};

/// Finds better cuts by parallel tempering: chains of random moves, each at a temperature that sets how often it
/// accepts worse cuts, exchange their temperatures now and then. Cold chains polish what hot ones find. See
/// docs/makespan.md, The search.
///
/// If memory is tight, chains pass through cuts that exceed it, at a penalty: the allowed ones may be isolated.
///
/// Chains are simulated in lanes. Random numbers come from a counter, and no library function decides what is accepted:
/// the same results on every machine and with every register width.
class tempering {
 public:
  static constexpr std::size_t chains = 64;

  tempering(const engine::chain_ticks& ticks, const schedule& order, const engine::cut_rules& rules,
            engine::cut_simulator& simulator, engine::search_clock& clock)
      : order_(order),
        rules_(rules),
        simulator_(simulator),
        clock_(clock),
        memory_(order, rules),
        moves_(order, rules, memory_.applies()),
        program_(simulator.graph()),
        durations_(ticks, simulator.graph(), program_),
        groups_(chains / engine::cut_lanes::width, engine::cut_lanes(ticks, program_, durations_)) {}

  /// Starts anew: the chains begin at these allowed cuts in turn. There must be at least one; two or more stages.
  void begin(const std::vector<std::vector<std::size_t>>& starts) {
    for (std::size_t c = 0; c < chains; ++c) {
      place(c, starts[c % starts.size()]);
      chain_at_[c] = heat_of_[c] = c;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const view<const double> now = groups_[g].makespans();
      for (std::size_t lane = 0; lane < engine::cut_lanes::width; ++lane)
        values_[g * engine::cut_lanes::width + lane] = now[lane];
    }
    double least = values_[0];
    for (const double value : values_) least = std::min(least, value);
    double heat = hottest;
    for (std::size_t t = chains; t-- > 0; heat /= ratio) heats_[t] = heat * least;
    for (std::size_t c = 0; c < chains; ++c) prices_[c] = engine::excess_price(c) * least;
    step_ = 0;
  }

  /// Lets the coldest chain continue from a cut found elsewhere.
  void add(view<const std::size_t> points, double makespan) {
    const std::size_t c = chain_at_[0];
    if (values_[c] <= makespan) return;
    place(c, points);
    values_[c] = makespan;
  }

  /// Evaluates about `candidates` cuts, and offers those that beat the best; fewer if the bound of the best is met, or
  /// time runs out.
  void run(std::size_t candidates, engine::incumbent& best) {
    const std::size_t steps = candidates / chains + 1;
    for (std::size_t i = 0; i < steps && !best.proved() && !clock_.look(); ++i, ++step_) {
      for (std::size_t g = 0; g < groups_.size(); ++g) move(g, best);
      if (step_ % 5 == 4) exchange(step_ / 5);
    }
    clock_.state.evaluations = simulator_.simulations;
  }

 private:
  // Relative to the makespan of the first cuts. Colder than 2e-4 loses nothing, warmer does; 1e-2 is too cold as the
  // hottest.
  static constexpr double hottest = 3e-2;
  static constexpr double ratio = 1.0827749;  // 150^(1/63)

  /// Sets a chain to a cut.
  void place(std::size_t c, view<const std::size_t> points) {
    cuts_[c].assign(points.begin(), points.end());
    excess_[c].assign(order_.ranks(), 0);
    groups_[c / engine::cut_lanes::width].set(c % engine::cut_lanes::width, points, 0, points.size() - 1);
  }

  /// One move of each chain of a group.
  void move(std::size_t group, engine::incumbent& best) {
    engine::cut_lanes& lanes = groups_[group];
    bool moved[engine::cut_lanes::width];
    cut_moves::changed stages[engine::cut_lanes::width];
    bool any = false;
    for (std::size_t lane = 0; lane < engine::cut_lanes::width; ++lane) {
      const std::size_t c = group * engine::cut_lanes::width + lane;
      random_bits random(1, c, step_);
      before_[lane] = cuts_[c];
      if (memory_.applies()) excess_before_[lane] = excess_[c];
      moved[lane] = false;
      for (int again = 0; again < 4 && !moved[lane]; ++again) moved[lane] = moves_(cuts_[c], random, stages[lane]);
      if (!moved[lane]) continue;
      set(lanes, lane, cuts_[c], stages[lane]);
      needed_[c] = static_cast<std::uint32_t>(random() % engine::minus_logarithms.size());
      any = true;
    }
    if (!any) return;
    const view<const double> makespans = lanes.makespans();
    for (std::size_t lane = 0; lane < engine::cut_lanes::width; ++lane) {
      if (!moved[lane]) continue;
      ++simulator_.simulations;
      const std::size_t c = group * engine::cut_lanes::width + lane;
      const double excess = change_excess(c, stages[lane]);
      const double value = makespans[lane] + prices_[c] * excess;
      if (value - values_[c] <= heats_[heat_of_[c]] * engine::minus_logarithms[needed_[c]]) {
        values_[c] = value;
        if (excess == 0) offer(cuts_[c], makespans[lane], best);
      } else {
        cuts_[c] = before_[lane];
        if (memory_.applies()) excess_[c].swap(excess_before_[lane]);
        set(lanes, lane, cuts_[c], stages[lane]);
      }
    }
  }

  /// The excess of the ranks of a chain's cut after a move.
  double change_excess(std::size_t c, const cut_moves::changed& stages) {
    if (!memory_.applies()) return 0;
    double sum = 0;
    for (std::size_t run = 0; run < 2; ++run) memory_.change(cuts_[c], stages.first[run], stages.last[run], excess_[c]);
    for (const double each : excess_[c]) sum += each;
    return sum;
  }

  void offer(view<const std::size_t> points, double makespan, engine::incumbent& best) const {
    if (!(makespan < best.makespan())) return;
    if (!memory_.applies() || engine::allowed_cut(order_, rules_, points)) best.offer(points, makespan);
  }

  static void set(engine::cut_lanes& lanes, std::size_t lane, view<const std::size_t> points,
                  const cut_moves::changed& stages) {
    for (std::size_t run = 0; run < 2; ++run) lanes.set(lane, points, stages.first[run], stages.last[run]);
  }

  /// Exchanges the temperatures of neighbours.
  void exchange(std::uint64_t round) {
    for (std::size_t t = round % 2; t + 1 < chains; t += 2) {
      std::size_t& cold = chain_at_[t];
      std::size_t& warm = chain_at_[t + 1];
      random_bits random(2, t, round);
      const double limit = engine::minus_logarithms[random() % engine::minus_logarithms.size()];
      if (!engine::exchange(values_[cold], values_[warm], heats_[t], heats_[t + 1], limit)) continue;
      std::swap(cold, warm);
      heat_of_[cold] = t;
      heat_of_[warm] = t + 1;
    }
  }

  const schedule& order_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  memory_excess memory_;
  cut_moves moves_;
  slot_program program_;
  engine::stage_durations durations_;
  std::vector<engine::cut_lanes> groups_;
  // Per chain:
  std::array<std::vector<std::size_t>, chains> cuts_{};
  std::array<double, chains> values_{};               // makespans plus penalties for excess
  std::array<std::vector<double>, chains> excess_{};  // per rank
  std::array<double, chains> prices_{};               // total penalty
  std::array<std::size_t, chains> heat_of_{};
  std::array<std::uint32_t, chains> needed_{};  // index of the random number that decides on its move
  // Per temperature, from the coldest on:
  std::array<double, chains> heats_{};
  std::array<std::size_t, chains> chain_at_{};
  std::array<std::vector<std::size_t>, engine::cut_lanes::width> before_{};
  std::array<std::vector<double>, engine::cut_lanes::width> excess_before_{};
  std::uint64_t step_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
