// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/times_simulator.hpp>

#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using oracle::dice;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::transfer_kind;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_kinds;
using stagecut::engine::tick_message;
using stagecut::engine::tick_w;
using stagecut::engine::times_simulator;

namespace {

bool splits_of(const schedule& order) {
  return stagecut::has_kind(order, stagecut::op_kind::backward_input) ||
         stagecut::has_kind(order, stagecut::op_kind::backward_weight);
}

/// Times of all stages, none of them 0 or many.
std::vector<double> random_times(dice& random, const schedule& order, bool splits, bool has_messages) {
  std::vector<double> times(order.stages() * engine::tick_kinds);
  const bool zeros = random.once_in(2);
  for (std::size_t s = 0; s < order.stages(); ++s) {
    const auto time = [&] { return zeros && random.once_in(3) ? 0.0 : static_cast<double>(random.from(1, 20)); };
    times[s * engine::tick_kinds + engine::tick_f] = time();
    times[s * engine::tick_kinds + engine::tick_b] = time();
    if (splits) times[s * engine::tick_kinds + engine::tick_w] = time();
    if (has_messages && s + 1 < order.stages()) times[s * engine::tick_kinds + engine::tick_message] = time();
  }
  return times;
}

/// The same by the library's front door.
double simulated(const schedule& order, const std::vector<double>& all, transfer_kind kind, bool splits,
                 bool has_messages) {
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> transfers;
  transfers.kind = kind;
  for (std::size_t s = 0; s < order.stages(); ++s) {
    times.forward.push_back(all[s * engine::tick_kinds + engine::tick_f]);
    (splits ? times.backward_input : times.backward).push_back(all[s * engine::tick_kinds + engine::tick_b]);
    if (splits) times.backward_weight.push_back(all[s * engine::tick_kinds + engine::tick_w]);
    if (has_messages && s + 1 < order.stages())
      transfers.forward.push_back(all[s * engine::tick_kinds + engine::tick_message]);
  }
  transfers.backward = transfers.forward;
  return stagecut::simulate(order, times, transfers).makespan;
}

double length_of(const std::vector<double>& counts, const std::vector<double>& times) {
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) sum += counts[i] * times[i];
  return sum;
}

}  // namespace

TEST_CASE("makespans are those of simulate, and critical paths as long: bounds for all other times") {
  dice random(1);
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const schedule order = chains::random_order(random, chains::any_kind(random), {9, 4, 6});
    const bool splits = splits_of(order);
    const bool has_messages = order.stages() > 1 && random.once_in(2);
    const auto kind = static_cast<transfer_kind>(random.below(4));
    engine::times_simulator simulator(order, kind, splits, has_messages);
    std::vector<std::vector<double>> times;
    std::vector<std::vector<double>> paths;
    std::vector<double> makespans;
    for (int i = 0; i < 4; ++i) {
      times.push_back(random_times(random, order, splits, has_messages));
      makespans.push_back(simulator.run(times.back().data()));
      CHECK(makespans.back() == simulated(order, times.back(), kind, splits, has_messages));
      paths.emplace_back();
      simulator.count_critical(paths.back());
      REQUIRE(paths.back().size() == times.back().size());
    }
    bool sound = true;
    for (std::size_t i = 0; i < times.size(); ++i) {
      for (std::size_t j = 0; j < times.size(); ++j) {
        const double length = length_of(paths[j], times[i]);
        sound = sound && (i == j ? length == makespans[i] : length <= makespans[i]);
      }
    }
    CHECK(sound);
  }
}

TEST_CASE("1F1B of two stages: the path goes down, along the slower one, and back up") {
  const schedule order = stagecut::one_forward_one_backward(2, 4);
  engine::times_simulator simulator(order, transfer_kind::link, false, true);
  std::vector<double> times(2 * engine::tick_kinds);
  times[engine::tick_f] = 1;
  times[engine::tick_b] = 2;
  times[engine::tick_message] = 5;
  times[engine::tick_kinds + engine::tick_f] = 10;
  times[engine::tick_kinds + engine::tick_b] = 20;
  CHECK(simulator.run(times.data()) == 1 + 5 + 4 * 30 + 5 + 2);
  std::vector<double> counts;
  simulator.count_critical(counts);
  std::vector<double> expected(2 * engine::tick_kinds);
  expected[engine::tick_f] = expected[engine::tick_b] = 1;
  expected[engine::tick_message] = 2;
  expected[engine::tick_kinds + engine::tick_f] = expected[engine::tick_kinds + engine::tick_b] = 4;
  CHECK(counts == expected);
  CHECK(simulator.graph().tasks().size() == 2 * 4 * 2 + 2 * 4);  // passes, and messages on links
}

TEST_CASE("times and counts stand where a layout says: messages before stages, and the exchange of gradients") {
  const schedule order = stagecut::one_forward_one_backward(2, 4);
  // Of a stage its exchange, the message before it, a number of no meaning, and both passes.
  const engine::time_layout layout{
      .kinds = 5, .forward = 3, .backward = 4, .message = 1, .before = true, .all_reduce = 0};
  engine::times_simulator simulator(order, transfer_kind::link, false, true, layout);
  const std::vector<double> times{7, 0, 99, 1, 2, 3, 5, 99, 10, 20};
  CHECK(simulator.run(times.data()) == 1 + 5 + 4 * 30 + 5 + 2 + 7);
  std::vector<double> counts;
  simulator.count_critical(counts);
  CHECK(counts == std::vector<double>{1, 0, 0, 1, 1, 0, 2, 0, 4, 4});
}
