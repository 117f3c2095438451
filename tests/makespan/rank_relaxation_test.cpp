// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/rank_relaxation.hpp>

#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../schedule/oracle.hpp"

using oracle::dice;
using stagecut::detail::rank_relaxation;
using stagecut::schedule;
using stagecut::schedule_kind;

TEST_CASE("a rank alone: what simulate says") {
  dice random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    schedule order = oracle::random_schedule(random, oracle::written_transfers::none, false);
    if (order.ranks() != 1 || order.slices != 1) continue;
    std::vector<rank_relaxation::part> parts(order.stages());
    stagecut::pass_times<double> times;
    for (auto& part : parts) {
      part.forward = static_cast<double>(random.below(20));
      part.backward = static_cast<double>(random.below(20));
      part.weight = static_cast<double>(random.below(20));
      times.forward.push_back(part.forward);
      times.backward_input.push_back(part.backward);
      times.backward_weight.push_back(part.weight);
    }
    rank_relaxation relaxed(order, 0);

    const auto ends = relaxed(parts, 0);
    CHECK(ends.any == stagecut::simulate(order, times).makespan);
    CHECK(ends.leaving <= ends.any);
    CHECK(relaxed(parts, 0).any == ends.any);  // nothing is left of the last time
  }
}

TEST_CASE("what is under way through other ranks is waited for") {
  // The second rank of two under 1F1B: F0 B0 F1 B1, ready at 5, 10 for itself.
  const schedule order =
      stagecut::make_schedule(schedule_kind::one_forward_one_backward, {.ranks = 2, .microbatches = 2});
  std::vector<rank_relaxation::part> parts(1);
  parts[0] = {3, 4, 0, 5, 7};
  rank_relaxation second(order, 1);
  CHECK(second(parts, 0).any == 5 + 2 * 7);
  CHECK(second(parts, 0).leaving == 19);
  CHECK(second(parts, 10).any == 5 + 2 * (3 + 10 + 4));
  // The first: F0 F1 B0 B1.
  rank_relaxation first(order, 0);
  parts[0].down = 0;
  CHECK(first(parts, 0).any == 2 * 3 + 2 * 4);
  CHECK(first(parts, 5).any == 3 + 5 + 2 * 4);
  CHECK(first(parts, 100).any == 3 + 100 + 2 * 4);
}

TEST_CASE("a W behind the last gradient that leaves") {
  const schedule order = stagecut::make_schedule(schedule_kind::zb_h1, {.ranks = 2, .microbatches = 4});
  std::vector<rank_relaxation::part> parts(1);
  parts[0] = {1, 1, 1, 0, 0};
  rank_relaxation last(order, 1);
  const auto ends = last(parts, 0);
  CHECK(ends.any == 12);
  CHECK(ends.leaving < ends.any);
}

TEST_CASE("one of the stages of a rank") {
  const schedule order =
      stagecut::make_schedule(schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 2});
  std::vector<rank_relaxation::part> both(2);
  both[0] = {1, 2, 0, 0, 3};
  both[1] = {1, 2, 0, 3, 0};
  rank_relaxation rank(order, 0);
  std::vector<rank_relaxation::part> one(1);
  one[0] = {1, 2, 0, 0, 0};
  for (const std::size_t stage : {std::size_t{0}, std::size_t{2}}) {
    rank_relaxation alone(order, 0, stage);

    CHECK(alone(one, 0).any == 2 * 3);
    CHECK(alone(one, 0).any <= rank(both, 4).any);
  }
  CHECK(rank(both, 4).any >= 2 * 6);
}

TEST_CASE("a longest path takes as long as is said, and no longer than is said of other times") {
  dice random(2);
  std::size_t counted = 0;
  std::size_t through_others = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const schedule order = oracle::random_schedule(random, oracle::written_transfers::none, false);
    const std::size_t rank = random.below(order.ranks());
    std::size_t stages = 0;
    for (const std::size_t each : order.rank_of) stages += each == rank ? 1 : 0;
    if (stages == 0) continue;
    rank_relaxation relaxed(order, rank);
    std::vector<rank_relaxation::part> parts(stages);
    double turn = 0;
    const auto fill = [&] {
      for (auto& part : parts) {
        for (double* time : {&part.forward, &part.backward, &part.weight, &part.down, &part.up}) {
          *time = static_cast<double>(random.below(random.once_in(4) ? 200 : 20));
        }
      }
      turn = static_cast<double>(random.below(100));
    };
    const auto longest = [&] {
      const auto ends = relaxed(parts, turn);
      return std::max(ends.any, ends.leaving + parts[0].up);
    };
    fill();
    const double said = longest();
    std::vector<double> counts(5 * stages + 1, -1);
    relaxed.count_longest(parts, turn, counts.data());
    const auto length = [&] {
      double sum = counts.back() * turn;
      for (std::size_t i = 0; i < stages; ++i) {
        const auto& each = parts[i];
        const double times[] = {each.forward, each.backward, each.weight, each.down, each.up};
        for (std::size_t k = 0; k < 5; ++k) sum += counts[5 * i + k] * times[k];
      }
      return sum;
    };
    CHECK(length() == said);
    ++counted;
    if (counts.back() != 0) ++through_others;
    for (int other = 0; other < 5; ++other) {
      fill();
      CHECK(length() <= longest());
    }
  }
  CHECK(counted > 300);
  CHECK(through_others > 30);
}
