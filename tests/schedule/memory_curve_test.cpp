// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/memory_curve.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/simulate.hpp>

#include "oracle.hpp"

using oracle::dice;
using stagecut::memory_curve;
using stagecut::memory_point;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::simulation;
using stagecut::stage_bytes;
using bytes = std::vector<double>;
using points = std::vector<memory_point<int>>;

namespace {

bytes peaks(const schedule& order, const stage_bytes& each) {
  bytes result;
  for (const auto& rank : memory_curve(order, simulation<int>{}, each)) {
    CHECK(rank.curve.empty());
    result.push_back(rank.peak());
  }
  return result;
}

}  // namespace

TEST_CASE("1F1B on two ranks, by time") {
  const schedule order = stagecut::one_forward_one_backward(2, 2);
  const auto run = simulate(order, stagecut::pass_times<int>{.forward = {1, 1}, .backward = {2, 2}});
  const auto ranks = memory_curve(order, run, {.resident = {100, 200}, .activations = {8, 4}});
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].curve == points{{0, 0}, {0, 8}, {1, 16}, {6, 8}, {9, 0}});
  CHECK(ranks[0].resident == 100);
  CHECK(ranks[0].peak_activations == 16);
  CHECK(ranks[0].peak() == 116);
  CHECK(ranks[1].curve == points{{0, 0}, {1, 4}, {4, 0}, {4, 4}, {7, 0}});
  CHECK(ranks[1].peak() == 204);
  CHECK(peaks(order, {.resident = {100, 200}, .activations = {8, 4}}) == bytes{116, 204});
  CHECK(peaks(order, {}) == bytes{2, 1});
  CHECK(ranks[0] == memory_curve(order, run, {.resident = {100, 200}, .activations = {8, 4}})[0]);
}

TEST_CASE("between I and W a part stays") {
  const schedule h1 = stagecut::zb_h1(4, 8);
  const schedule h2 = stagecut::zb_h2(4, 8);
  CHECK(peaks(h1, {.weight_part = bytes(4, 0.5)}) == bytes{4, 3.5, 3, 2.5});
  CHECK(peaks(h2, {.weight_part = bytes(4, 0.5)}) == bytes{7, 6, 5, 4});
  // All of it, and nothing.
  CHECK(peaks(h1, {}) == bytes(4, 4));
  CHECK(peaks(h2, {}) == bytes(4, 7));
  CHECK(peaks(h1, {.weight_part = bytes(4, 0)}) == bytes{4, 3, 2, 1});
  CHECK(peaks(h2, {.weight_part = bytes(4, 0)}) == bytes{7, 5, 3, 1});
}

TEST_CASE("a curve begins and ends with nothing, is never below, and follows the time") {
  dice random(1);
  for (int round = 0; round < 1000; ++round) {
    schedule order = oracle::random_schedule(random, oracle::written_transfers::none, random.once_in(2));
    const auto times = oracle::random_times<std::int64_t>(random, order);
    const auto run = simulate(order, times);
    stage_bytes each;
    each.resident = bytes(order.stages(), 16);
    // Whole sixths, so that the parts of up to three slices are exact.
    for (std::size_t s = 0; s < order.stages(); ++s) {
      each.weight_part.push_back(6 * static_cast<double>(random.below(5)));
      each.activations.push_back(each.weight_part.back() + 6 * static_cast<double>(random.below(5)));
    }
    const auto ranks = memory_curve(order, run, each);
    REQUIRE(ranks.size() == order.ranks());
    double resident = 0;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      const auto& rank = ranks[r];
      REQUIRE(rank.curve.size() == run.ops[r].size() + 1);
      REQUIRE(rank.curve.front() == memory_point<std::int64_t>{0, 0});
      REQUIRE(rank.curve.back().activations == 0);
      double most = 0;
      for (std::size_t i = 0; i < rank.curve.size(); ++i) {
        REQUIRE(rank.curve[i].activations >= 0);
        REQUIRE((i == 0 || rank.curve[i].time >= rank.curve[i - 1].time));
        REQUIRE(rank.curve[i].time <= run.makespan);
        most = most < rank.curve[i].activations ? rank.curve[i].activations : most;
      }
      REQUIRE(rank.peak_activations == most);
      REQUIRE(rank.peak() == most + rank.resident);
      resident += rank.resident;
    }
    REQUIRE(resident == 16 * static_cast<double>(order.stages()));
    // The order alone tells the peaks.
    const auto alone = memory_curve(order, simulation<std::int64_t>{}, each);
    for (std::size_t r = 0; r < order.ranks(); ++r) REQUIRE(alone[r].peak() == ranks[r].peak());
  }
}

TEST_CASE("bytes that are none") {
  const schedule order = stagecut::one_forward_one_backward(2, 2);
  const auto refused = [&](const char* with, const stage_bytes& each) {
    CAPTURE(with);
    CHECK_THROWS_WITH_AS((void)memory_curve(order, simulation<int>{}, each), with, stagecut::invalid_input);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  refused("resident: has 1 elements, the schedule has 2 stages", {.resident = {1}});
  refused("activations: has 3 elements, the schedule has 2 stages", {.activations = {1, 2, 3}});
  refused("weight_part: has 1 elements, the schedule has 2 stages", {.weight_part = {1}});
  refused("resident[1]: must be finite and not negative", {.resident = {1, nan}});
  refused("activations[0]: must be finite and not negative", {.activations = {-1, 1}});
  refused("weight_part[1]: must be finite and not negative", {.weight_part = {1, infinity}});
  const double greatest = std::numeric_limits<double>::max();
  refused("rank 1: holds more bytes than a double can represent",
          {.resident = {1, greatest}, .activations = {1, greatest}});
}

TEST_CASE("what is recomputed is there while a microbatch goes back, and microbatches may differ") {
  const schedule order = stagecut::gpipe(1, 2);  // F0 F1 B0 B1
  const auto run = stagecut::simulate(order, stagecut::pass_times<int>{.forward = {1}, .backward = {2}});
  const auto curve = memory_curve(order, run, {.resident = {100}, .activations = {3}, .recomputed = {10}})[0].curve;
  const std::vector<stagecut::memory_point<int>> expected{{0, 0}, {0, 3}, {1, 6}, {2, 16}, {4, 3}, {4, 13}, {6, 0}};
  CHECK(curve == expected);
  // The first is kept whole, the second recomputed.
  const stagecut::stage_bytes kept{.activations = {10, 3}, .recomputed = {0, 10}};
  CHECK(memory_curve(order, run, kept)[0].peak() == 13);
  // Apart, what is recomputed stays until the gradients of the weights are there: F0 I0 W0 …
  const schedule split = stagecut::zb_h1(1, 2);
  const auto apart = memory_curve(split, simulation<int>{}, {.activations = {3}, .recomputed = {10}});
  CHECK(apart[0].peak() == 13);
}

TEST_CASE("the run of another schedule, and a schedule that is none") {
  const schedule order = stagecut::one_forward_one_backward(2, 3);
  const auto run = stagecut::simulate(stagecut::one_forward_one_backward(2, 2),
                                      stagecut::pass_times<int>{.forward = {1, 1}, .backward = {1, 1}});
  CHECK_THROWS_WITH_AS((void)memory_curve(order, run), "run: is of another schedule: rank 0 does not run these passes",
                       stagecut::invalid_input);
  const auto other =
      stagecut::simulate(stagecut::gpipe(2, 3), stagecut::pass_times<int>{.forward = {1, 1}, .backward = {1, 1}});
  CHECK_THROWS_WITH_AS((void)memory_curve(order, other), doctest::Contains("of another schedule"),
                       stagecut::invalid_input);
  schedule wrong = order;
  wrong.orders[1][0].stage = 7;
  CHECK_THROWS_AS((void)memory_curve(wrong, simulation<int>{}), stagecut::invalid_input);
  CHECK_THROWS_AS((void)microbatches_in_flight(wrong), stagecut::invalid_input);
}
