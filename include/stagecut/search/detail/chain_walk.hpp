// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/point_moves.hpp>
#include <stagecut/engine/rank_stages.hpp>
#include <stagecut/engine/tempering.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/detail/chain_rules.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The states of the chains, in a system's memory. Trivially copyable; refers to arrays.
struct chain_states {
  std::uint32_t* points = nullptr;  ///< `width` per chain
  double* values = nullptr;         ///< makespans in ticks plus the penalty for excess memory; negative: unknown
  double* heats = nullptr;          ///< temperatures, in ticks
  std::uint32_t* best_points = nullptr;  ///< of the best cut since the last report, if it beats the known one
  double* best_makespans = nullptr;      ///< its makespan, or the known one
  std::size_t width = 0;                 ///< points of a cut
};

/// Some moves of each chain, until the next temperature exchange.
struct chain_round {
  std::uint64_t seed = 1;
  std::uint64_t step = 0;  ///< moves of each chain before this round
  std::size_t steps = 0;   ///< moves
  bool looked = true;      ///< whether the best cuts of the chains were reported and start anew
  double known = 0;        ///< in that case: the best makespan so far
};

/// The moves of chains, independent of the simulation of their cuts. Trivially copyable.
///
/// A round: `begin`, and `start` with the makespan if `begin` requests it; then, per step, `draw`, and, if there is a
/// move, `take` with the makespan; if `take` rejects it, the move is undone.
struct chain_walk {
  chain_rules_view rules{};
  stagecut::engine::rank_stages_view ranks{};
  view<const double> logarithms{};  ///< `engine::minus_logarithms`
  double price = 0;                 ///< penalty for twice the memory of a rank, in ticks
  chain_states chains{};

  /// Begins a round of a chain. Returns whether its cut has to be simulated first.
  [[nodiscard]] STAGECUT_HOST_DEVICE bool begin(std::size_t c, const chain_round& round) const {
    if (round.looked) chains.best_makespans[c] = round.known;
    return chains.values[c] < 0;
  }
  STAGECUT_HOST_DEVICE void start(std::size_t c, const candidate_room& points, double makespan) const {
    const double excess = rules.excess(points);
    chains.values[c] = priced(c, makespan, excess);
    if (excess == 0) keep(c, points, makespan);
  }

  /// Moves points of a chain. Returns whether one of a few moves gives an allowed cut; if not, the points are
  /// unchanged.
  /// @param warmth  is set to the acceptable increase
  [[nodiscard]] STAGECUT_HOST_DEVICE bool draw(std::size_t c, const chain_round& round, std::size_t step,
                                               const candidate_room& points, stagecut::engine::point_move& move,
                                               double& warmth) const {
    const std::size_t inner = points.size() - 2;
    stagecut::detail::random_bits random(round.seed, c, round.step + step);
    for (int again = 0; again < 4; ++again) {
      move = stagecut::engine::draw_move(random, inner, ranks);
      move.shift(points);
      if (move.is_in_order(points, rules.places.items) && may_be(points, move.one) && may_be(points, move.other)) {
        warmth = chains.heats[c] * logarithms[random() % logarithms.size()];
        return true;
      }
      move.unshift(points);
    }
    return false;
  }

  /// Whether a chain accepts its move: if it is worse by at most `warmth`.
  [[nodiscard]] STAGECUT_HOST_DEVICE bool take(std::size_t c, const candidate_room& points, double makespan,
                                               double warmth) const {
    const double now = chains.values[c];
    if (makespan - now > warmth) return false;
    const double excess = rules.excess(points);
    const double value = priced(c, makespan, excess);
    if (value - now > warmth) return false;
    chains.values[c] = value;
    if (excess == 0) keep(c, points, makespan);
    return true;
  }

 private:
  [[nodiscard]] STAGECUT_HOST_DEVICE bool may_be(const candidate_room& points,
                                                 const stagecut::engine::point_run& run) const {
    for (std::size_t s = run.first_stage(); s < run.end; ++s) {
      if (!rules.may_be(s, points[s], points[s + 1])) return false;
    }
    return true;
  }

  [[nodiscard]] STAGECUT_HOST_DEVICE double priced(std::size_t c, double makespan, double excess) const {
    if (excess == 0) return makespan;
    return ::fma(price * stagecut::engine::excess_price(c), excess, makespan);
  }

  STAGECUT_HOST_DEVICE void keep(std::size_t c, const candidate_room& points, double makespan) const {
    if (!(makespan < chains.best_makespans[c])) return;
    chains.best_makespans[c] = makespan;
    std::uint32_t* const to = chains.best_points + c * chains.width;
    for (std::size_t i = 0; i < chains.width; ++i) to[i] = points[i];
  }
};

/// Exchanges temperatures of neighbours, one pair per index.
struct heat_exchange {
  view<const double> logarithms{};
  const double* ladder = nullptr;     ///< the temperatures, from the coldest on
  std::size_t rungs = 0;              ///< temperatures of a ladder
  std::uint32_t* chain_at = nullptr;  ///< per ladder and temperature
  const double* values = nullptr;     ///< per chain
  double* heats = nullptr;            ///< per chain
  std::uint64_t seed = 2;
  std::uint64_t round = 0;

  /// Number of pairs of a ladder, possibly with empty ones.
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t pairs() const { return (rungs + 1) / 2; }

  /// Exchanges a pair, numbered through all ladders.
  STAGECUT_HOST_DEVICE void operator()(std::size_t pair) const {
    const std::size_t rung = 2 * (pair % pairs()) + round % 2;
    if (rung + 1 >= rungs) return;
    const std::size_t t = pair / pairs() * rungs + rung;
    const std::uint32_t cold = chain_at[t];
    const std::uint32_t warm = chain_at[t + 1];
    stagecut::detail::random_bits random(seed, t, round);
    const double limit = logarithms[random() % logarithms.size()];
    if (!stagecut::engine::exchange(values[cold], values[warm], ladder[rung], ladder[rung + 1], limit)) return;
    chain_at[t] = warm;
    chain_at[t + 1] = cold;
    heats[warm] = ladder[rung];
    heats[cold] = ladder[rung + 1];
  }
};

/// The work of all chains between two reports: rounds, and a temperature exchange after each.
struct chain_turn {
  chain_walk walk{};
  chain_round round{};
  heat_exchange exchange{};
  std::size_t rounds = 0;

  /// Called after each round.
  void advance() {
    round.step += round.steps;
    round.looked = false;
    ++exchange.round;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
