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

/// By how much ranks hold more than they may, where rules are sums of memory: so that a search can pass through cuts that
/// are not allowed.
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

  /// What every rank holds too much in a cut, as a share of the limit.
  void measure(view<const std::size_t> points, std::vector<double>& of_ranks) const {
    of_ranks.assign(stages_of_.size(), 0);
    for (std::size_t r = 0; r < stages_of_.size(); ++r) of_ranks[r] = of_rank(r, points);
  }
  /// The same of the ranks of the stages `[first, last)`, which have changed.
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

/// Changes of a cut by random moves, see `draw_move`, to cuts that are allowed.
class cut_moves {
 public:
  /// The stages that a move has changed.
  struct changed {
    std::size_t first[2];
    std::size_t last[2];  ///< behind them; no second ones: both 0
  };

  /// @param without_memory  what stages and ranks hold is not asked
  cut_moves(const schedule& order, const engine::cut_rules& rules, bool without_memory = false)
      : order_(order), rules_(rules), without_memory_(without_memory), ranks_(order) {}

  /// Moves points of a cut of two stages or more. Returns whether the cut is an allowed one; if not, it is as before.
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

/// Looks for better cuts by parallel tempering: chains of random moves, each at a temperature at which it takes worse cuts
/// more or less often, that now and then exchange their temperatures. Cold chains polish what hot ones find. See
/// docs/makespan.md, The search.
///
/// Where memory is short, chains pass through cuts that hold too much, at a price: those that are allowed may lie apart.
///
/// Chains are simulated in lanes. Their random numbers are counted, not drawn one after the other, and no library
/// function decides what is taken: the same way on every machine and with every width of registers.
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

  /// Begins anew: the chains begin at these cuts, which are allowed, in turn. There must be one; two stages or more.
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
    for (const double each : values_) least = std::min(least, each);
    double heat = hottest;
    for (std::size_t t = chains; t-- > 0; heat /= ratio) heats_[t] = heat * least;
    for (std::size_t c = 0; c < chains; ++c) prices_[c] = engine::excess_price(c) * least;
    step_ = 0;
  }

  /// Lets the coldest chain go on from a cut that was found elsewhere.
  void add(view<const std::size_t> points, double makespan) {
    const std::size_t c = chain_at_[0];
    if (values_[c] <= makespan) return;
    place(c, points);
    values_[c] = makespan;
  }

  /// Looks at about so many cuts, and offers what is better than the best; less if the bound of the best is met, or the clock
  /// says stop.
  void run(std::size_t candidates, engine::incumbent& best) {
    const std::size_t steps = candidates / chains + 1;
    for (std::size_t i = 0; i < steps && !best.proved() && !clock_.look(); ++i, ++step_) {
      for (std::size_t g = 0; g < groups_.size(); ++g) move(g, best);
      if (step_ % 5 == 4) exchange(step_ / 5);
    }
    clock_.state.simulations = simulator_.simulations;
  }

 private:
  // Of the makespan of the first cuts. Colder than 2e-4 loses nothing, warmer does; 1e-2 is too cold as the hottest.
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

  /// What the ranks of a chain's cut hold too much, after a move.
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
  // Of every chain:
  std::array<std::vector<std::size_t>, chains> cuts_{};
  std::array<double, chains> values_{};               // makespans, and the price of what is held too much
  std::array<std::vector<double>, chains> excess_{};  // of ranks
  std::array<double, chains> prices_{};               // of all of it
  std::array<std::size_t, chains> heat_of_{};
  std::array<std::uint32_t, chains> needed_{};  // the place of the number that decides on its move
  // Of every temperature, from the coldest on:
  std::array<double, chains> heats_{};
  std::array<std::size_t, chains> chain_at_{};
  std::array<std::vector<std::size_t>, engine::cut_lanes::width> before_{};
  std::array<std::vector<double>, engine::cut_lanes::width> excess_before_{};
  std::uint64_t step_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
