// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/makespan_parts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>

#include "oracle.hpp"

using oracle::dice;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::split_makespan;
using stagecut::transfer_kind;
using stagecut::transfer_times;
using times = std::vector<double>;

TEST_CASE("equal stages: work, the pipeline's filling, messages, the update") {
  const schedule order = stagecut::one_forward_one_backward(4, 8);
  const pass_times<double> passes{.forward = times(4, 1), .backward = times(4, 2)};
  auto parts = split_makespan(order, passes);
  CHECK(parts.work == 24);
  CHECK(parts.schedule == 9);
  CHECK(parts.imbalance == 0);
  CHECK(parts.transfers == 0);
  CHECK(parts.update == 0);
  CHECK(parts.total() == 33);

  pass_times<double> with_update = passes;
  with_update.all_reduce = times(4, 5);
  with_update.optimizer_step = times{0.5, 0.25, 0, 0};
  parts = split_makespan(order, with_update, {.kind = transfer_kind::latency, .forward = {0.5}, .backward = {0.5}});
  CHECK(parts.work == 24);
  CHECK(parts.schedule == 9);
  CHECK(parts.imbalance == 0);
  CHECK(parts.transfers == 8);
  CHECK(parts.update == 5.5);  // rank 0 is the last to end
  CHECK(parts.total() == 46.5);
}

TEST_CASE("times in braces are doubles") {
  const schedule order = stagecut::one_forward_one_backward(2, 3);
  const pass_times<double> passes{.forward = times{1, 0.5}, .backward = times{2, 1.5}};
  const auto parts = split_makespan(order, {.forward = {1, 0.5}, .backward = {2, 1.5}});
  CHECK(parts.total() == split_makespan(order, passes).total());
  CHECK(parts.work == split_makespan(order, passes).work);
}

TEST_CASE("unequal stages") {
  const schedule order = stagecut::one_forward_one_backward(4, 8);
  // The heaviest stage first: 72; last: 81.
  auto parts = split_makespan(order, pass_times<int>{.forward = {3, 1, 1, 1}, .backward = {6, 2, 2, 2}});
  CHECK(parts.work == 36);
  CHECK(parts.schedule == 13.5);
  CHECK(parts.imbalance == 22.5);
  CHECK(parts.total() == 72);
  parts = split_makespan(order, pass_times<int>{.forward = {1, 1, 1, 3}, .backward = {2, 2, 2, 6}});
  CHECK(parts.work == 36);
  CHECK(parts.imbalance == 31.5);
  CHECK(parts.total() == 81);
}

TEST_CASE("a schedule without bubbles") {
  const schedule order = stagecut::zb_h1(1, 4);
  const auto parts = split_makespan(
      order, pass_times<int>{.forward = {3}, .backward_input = {2}, .backward_weight = {1}, .optimizer_step = {2}});
  CHECK(parts.work == 24);
  CHECK(parts.schedule == 0);
  CHECK(parts.imbalance == 0);
  CHECK(parts.update == 2);
}

TEST_CASE("the parts add up, and all but work is what the ranks wait") {
  dice random(1);
  double least = 0;
  constexpr transfer_kind kinds[] = {transfer_kind::latency, transfer_kind::link, transfer_kind::stream,
                                     transfer_kind::blocking};
  for (int round = 0; round < 1000; ++round) {
    const transfer_kind kind = kinds[round % 4];
    const schedule order = oracle::random_schedule(random, oracle::written_transfers::none, random.once_in(2));
    const auto passes = oracle::random_times<std::int64_t>(random, order);
    const auto transfers = oracle::random_transfers<std::int64_t>(random, order, kind);
    const auto parts = split_makespan(order, passes, transfers);
    const auto run = simulate(order, passes, transfers);
    REQUIRE(parts.total() == doctest::Approx(static_cast<double>(run.makespan)).epsilon(1e-12));
    REQUIRE(parts.work >= 0);
    REQUIRE(parts.work <= parts.total() + 1e-9);
    REQUIRE(parts.transfers >= 0);
    REQUIRE(parts.update >= 0);
    least = std::min(least, parts.imbalance);
    double lost = 0;  // busy with passes is all else
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      lost += static_cast<double>(run.makespan - run.ranks[r].busy);
      if (!passes.optimizer_step.empty()) lost += static_cast<double>(passes.optimizer_step[r]);
    }
    REQUIRE(parts.total() - parts.work == doctest::Approx(lost / static_cast<double>(order.ranks())).epsilon(1e-9));
  }
  CHECK(least < 0);
}

TEST_CASE("what simulate refuses") {
  const schedule order = stagecut::gpipe(2, 2);
  CHECK_THROWS_WITH_AS((void)split_makespan(order, pass_times<double>{.forward = {1}, .backward = {1, 1}}),
                       "forward: has 1 elements, the schedule has 2 stages", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)split_makespan(order, pass_times<double>{.forward = {1, -1}, .backward = {1, 1}}),
                       doctest::Contains("forward[1]"), stagecut::invalid_input);
}

TEST_CASE("a sum that is not representable is refused in every part") {
  const schedule order = stagecut::one_forward_one_backward(2, 2);
  const pass_times<double> passes{.forward = {1, 1}, .backward = {1, 1}};
  const stagecut::transfer_times<double> endless{transfer_kind::link, {1e308}, {1e308}};
  CHECK_THROWS_WITH_AS((void)split_makespan(order, passes, endless), doctest::Contains("not representable"),
                       stagecut::invalid_input);
  pass_times<double> updated = passes;
  updated.all_reduce = {1e308, 1e308};
  updated.optimizer_step = {1e308, 1e308};
  CHECK_THROWS_WITH_AS((void)split_makespan(order, updated), doctest::Contains("not representable"),
                       stagecut::invalid_input);
}
