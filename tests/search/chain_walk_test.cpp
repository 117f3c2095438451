// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/detail/chain_walk.hpp>

#include <thrust/execution_policy.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/tempering.hpp>
#include <stagecut/search/detail/host_walks.hpp>
#include <stagecut/search/detail/walk_in_column.hpp>

#include "../makespan/random_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::search::candidate_room;
using stagecut::search::strided_view;
using stagecut::search::detail::chain_rules;
using stagecut::search::detail::chain_turn;
using stagecut::search::detail::heat_exchange;
using stagecut::search::detail::host_memory;
using stagecut::search::detail::host_walks;
using stagecut::search::detail::walk_in_column;

namespace {

constexpr std::size_t size = 16;  // chains, in two ladders

/// The arrays of chains that begin at a cut.
struct state {
  std::vector<std::uint32_t> points{};
  std::vector<double> values = std::vector<double>(size, -1);
  std::vector<double> heats{};
  std::vector<std::uint32_t> best_points{};
  std::vector<double> best_makespans = std::vector<double>(size);
  std::vector<std::uint32_t> chain_at{};

  friend bool operator==(const state&, const state&) = default;
};

state state_at(const std::vector<std::size_t>& cut, const std::vector<double>& ladder) {
  state result;
  for (std::size_t c = 0; c < size; ++c) {
    for (const std::size_t each : cut) result.points.push_back(static_cast<std::uint32_t>(each));
    result.heats.push_back(ladder[c % ladder.size()]);
    result.chain_at.push_back(static_cast<std::uint32_t>(c));
  }
  result.best_points = result.points;
  return result;
}

/// What is done until somebody looks.
template <class Bench>
chain_turn turn_of(const Bench& bench, const chain_rules& rules, const stagecut::engine::rank_stages& ranks,
                   const std::vector<double>& ladder, double known) {
  host_memory memory;
  chain_turn turn;
  turn.walk.rules = rules.seen();
  turn.walk.ranks = ranks.placed(memory);
  turn.walk.logarithms = stagecut::engine::minus_logarithms;
  turn.walk.price = known;
  turn.round.steps = 3;
  turn.round.known = known;
  turn.exchange.logarithms = turn.walk.logarithms;
  turn.exchange.ladder = ladder.data();
  turn.exchange.rungs = ladder.size();
  turn.rounds = 20;
  turn.walk.chains.width = bench.ticks.stages + 1;
  return turn;
}
void refer_to(state& to, chain_turn& turn) {
  turn.walk.chains = {to.points.data(),      to.values.data(),         to.heats.data(),
                      to.best_points.data(), to.best_makespans.data(), turn.walk.chains.width};
  turn.exchange.chain_at = to.chain_at.data();
  turn.exchange.values = to.values.data();
  turn.exchange.heats = to.heats.data();
}

}  // namespace

TEST_CASE("in columns, one by one, chains come to the same as in lanes, and to allowed cuts with their makespans") {
  dice random(1);
  std::size_t better = 0;
  std::size_t priced = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {11, 4, 8});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 16, {});
    const std::vector<chains::valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const auto& cut = all.back().second;
      const double known = bench.simulate(cut);
      const std::size_t ladders = round % 2 == 0 ? 1 : 2;
      std::vector<double> ladder;
      for (std::size_t t = 0; t < size / ladders; ++t)
        ladder.push_back(known * (0.001 + 0.003 * static_cast<double>(t)));
      const chain_rules rules(order, bench.checked, bench.ticks.items, bench.ticks.items);
      const stagecut::engine::rank_stages ranks(order);
      const stagecut::slot_program program(bench.simulate.graph());
      const stagecut::engine::stage_durations durations(bench.ticks, bench.simulate.graph(), program);
      priced += rules.seen().ranks.empty() ? 0 : 1;
      chain_turn turn = turn_of(bench, rules, ranks, ladder, known);

      state lanes = state_at(cut, ladder);
      refer_to(lanes, turn);
      host_walks(bench.ticks, program, durations, size)(thrust::seq, turn);

      state columns = state_at(cut, ladder);
      refer_to(columns, turn);
      walk_in_column task{turn.walk, {bench.ticks.rows(), durations.row(), program.steps(), 1}, turn.round};
      constexpr std::size_t stride = 3;
      std::vector<double> room(task.room() * stride);
      std::vector<std::uint32_t> points(task.points() * stride);
      for (std::size_t i = 0; i < turn.rounds; ++i, turn.advance()) {
        task.round = turn.round;
        for (std::size_t c = 0; c < size; ++c) {
          task(c, strided_view<double>(room.data() + 1, task.room(), stride),
               candidate_room(points.data() + 2, task.points(), stride));
        }
        for (std::size_t pair = 0; pair < ladders * turn.exchange.pairs(); ++pair) turn.exchange(pair);
      }
      CHECK(columns == lanes);

      for (std::size_t c = 0; c < size; ++c) {
        const auto at = [&](const std::vector<std::uint32_t>& from) {
          const std::size_t width = cut.size();
          return chains::points(from.begin() + static_cast<std::ptrdiff_t>(c * width),
                                from.begin() + static_cast<std::ptrdiff_t>((c + 1) * width));
        };
        const double makespan = bench.simulate(at(lanes.points));
        const double excess = rules.seen().excess(at(lanes.points));
        CHECK(lanes.values[c] >= makespan);
        CHECK((excess > 0 || lanes.values[c] == makespan));
        if (!(lanes.best_makespans[c] < known)) continue;
        ++better;
        CHECK(bench.simulate(at(lanes.best_points)) == lanes.best_makespans[c]);
        CHECK(stagecut::engine::allowed_cut(order, bench.checked, at(lanes.best_points)));
      }
      // Each chain has the temperature of its place.
      for (std::size_t t = 0; t < size; ++t) CHECK(lanes.heats[lanes.chain_at[t]] == ladder[t % ladder.size()]);
      std::sort(lanes.chain_at.begin(), lanes.chain_at.end());
      for (std::size_t t = 0; t < size; ++t) CHECK(lanes.chain_at[t] == t);
    });
  }
  CHECK(better > 1000);
  CHECK(priced > 10);
}

TEST_CASE("a better cut always becomes colder, a worse one the more often, the nearer it is") {
  const std::vector<double> ladder{1, 2, 4};
  std::vector<std::size_t> exchanged;
  for (const double slower : {-1.0, 0.0, 0.5, 5.0, 50.0}) {
    std::size_t count = 0;
    for (std::uint64_t round = 0; round < 2000; round += 2) {
      std::vector<std::uint32_t> chain_at{0, 1, 2};
      std::vector<double> values{10, 10 + slower, 10};
      std::vector<double> heats = ladder;
      heat_exchange exchange;
      exchange.logarithms = stagecut::engine::minus_logarithms;
      exchange.ladder = ladder.data();
      exchange.rungs = 3;
      exchange.chain_at = chain_at.data();
      exchange.values = values.data();
      exchange.heats = heats.data();
      exchange.round = round;
      for (std::size_t pair = 0; pair < exchange.pairs(); ++pair) exchange(pair);
      CHECK(chain_at[2] == 2);
      count += chain_at[0] == 1 ? 1 : 0;
      CHECK(heats[chain_at[0]] == 1);
      CHECK(heats[chain_at[1]] == 2);
    }
    exchanged.push_back(count);
  }
  CHECK(exchanged[0] == 1000);
  CHECK(exchanged[1] == 1000);
  CHECK(exchanged[2] > 740);  // e^-0.25
  CHECK(exchanged[2] < 820);
  CHECK(exchanged[3] > 50);  // e^-2.5
  CHECK(exchanged[3] < 115);
  CHECK(exchanged[4] == 0);
}
