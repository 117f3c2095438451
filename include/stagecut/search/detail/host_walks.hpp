// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_lanes.hpp>
#include <stagecut/engine/point_moves.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/detail/chain_walk.hpp>
#include <stagecut/search/detail/host_system.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// A round of chains whose cuts are simulated together, in lanes.
class walk_in_lanes {
 public:
  static constexpr std::size_t width = stagecut::engine::cut_lanes::width;

  /// @param first  first chain of the lanes
  walk_in_lanes(const chain_walk& walk, std::size_t first, stagecut::engine::cut_lanes& lanes)
      : walk_(walk), first_(first), lanes_(lanes) {}

  void operator()(const chain_round& round) {
    bool any = false;
    for (std::size_t lane = 0; lane < width; ++lane) {
      waits_[lane] = walk_.begin(first_ + lane, round);
      if (waits_[lane]) lanes_.set(lane, points(lane), 0, walk_.chains.width - 1), any = true;
    }
    if (any) {
      const view<const double> makespans = lanes_.makespans();
      for (std::size_t lane = 0; lane < width; ++lane) {
        if (waits_[lane]) walk_.start(first_ + lane, points(lane), makespans[lane]);
      }
    }
    for (std::size_t i = 0; i < round.steps; ++i) step(round, i);
  }

 private:
  void step(const chain_round& round, std::size_t i) {
    bool any = false;
    for (std::size_t lane = 0; lane < width; ++lane) {
      waits_[lane] = walk_.draw(first_ + lane, round, i, points(lane), moves_[lane], warmth_[lane]);
      if (waits_[lane]) set(lane), any = true;
    }
    if (!any) return;
    const view<const double> makespans = lanes_.makespans();
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!waits_[lane] || walk_.take(first_ + lane, points(lane), makespans[lane], warmth_[lane])) continue;
      moves_[lane].unshift(points(lane));
      set(lane);
    }
  }

  [[nodiscard]] candidate_room points(std::size_t lane) const {
    return {walk_.chains.points + (first_ + lane) * walk_.chains.width, walk_.chains.width};
  }
  /// Sets the stages changed by the lane's move.
  void set(std::size_t lane) {
    const stagecut::engine::point_move& move = moves_[lane];
    lanes_.set(lane, points(lane), move.one.first_stage(), move.one.end);
    lanes_.set(lane, points(lane), move.other.first_stage(), move.other.end);
  }

  const chain_walk& walk_;
  std::size_t first_;
  stagecut::engine::cut_lanes& lanes_;
  bool waits_[width] = {};  // whether the lane waits for its makespan
  stagecut::engine::point_move moves_[width] = {};
  double warmth_[width] = {};
};

/// Chains on a host. One ladder: groups of its chains in parallel, each in lanes. Several: ladders in parallel, so that
/// no round waits for another.
class host_walks {
 public:
  static constexpr std::size_t usual_chains = 64;

  host_walks(const stagecut::engine::chain_ticks& ticks, const slot_program& program,
             const stagecut::engine::stage_durations& durations, std::size_t chains)
      : groups_(chains / walk_in_lanes::width, stagecut::engine::cut_lanes(ticks, program, durations)) {}

  /// Runs some rounds of all chains.
  template <class Policy>
  void operator()(const Policy& policy, chain_turn turn) {
    const std::size_t groups = turn.exchange.rungs / walk_in_lanes::width;  // per ladder
    const thrust::counting_iterator<std::size_t> begin(0);
    if (groups < groups_.size()) {
      const auto ladders = static_cast<std::ptrdiff_t>(groups_.size() / groups);
      thrust::for_each(policy, begin, begin + ladders, walk_ladder{&turn, groups_.data(), groups});
      return;
    }
    for (std::size_t i = 0; i < turn.rounds; ++i, turn.advance()) {
      thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(groups), walk_group{&turn, groups_.data()});
      exchange_ladder(turn.exchange, 0);
    }
  }

 private:
  static void exchange_ladder(const heat_exchange& exchange, std::size_t ladder) {
    for (std::size_t pair = 0; pair < exchange.pairs(); ++pair) exchange(ladder * exchange.pairs() + pair);
  }

  /// A round of a group.
  struct walk_group {
    const chain_turn* turn;
    stagecut::engine::cut_lanes* groups;

    void operator()(std::size_t group) const {
      walk_in_lanes(turn->walk, group * walk_in_lanes::width, groups[group])(turn->round);
    }
  };
  /// All rounds of a ladder.
  struct walk_ladder {
    const chain_turn* all;
    stagecut::engine::cut_lanes* groups;
    std::size_t size;  // groups per ladder

    void operator()(std::size_t ladder) const {
      chain_turn turn = *all;
      for (std::size_t i = 0; i < turn.rounds; ++i, turn.advance()) {
        for (std::size_t g = ladder * size; g < (ladder + 1) * size; ++g) walk_group{&turn, groups}(g);
        exchange_ladder(turn.exchange, ladder);
      }
    }
  };

  std::vector<stagecut::engine::cut_lanes> groups_;
};

host_walks walks_of(const host_system*);

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
