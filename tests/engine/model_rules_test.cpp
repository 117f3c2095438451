// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/model_rules.hpp>

#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../makespan/random_chains.hpp"
#include "../makespan/requests.hpp"

namespace engine = stagecut::engine;
using chains::order_of;
using stagecut::interval;
using stagecut::item_times;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::detail::no_constraint;
using stagecut::engine::model_rules;
using stagecut::engine::most_held;
using stagecut::engine::stage_rules;

namespace {

const std::vector<double> ones(8, 1);
const chains::layers model(ones, ones, ones, {}, {1, 2, 3, 4, 5, 6, 7, 8}, std::vector<double>(8, 10));

/// The moments of a rank, of each stage its numbers: `3+1` has 3 microbatches, 1 of them recomputed.
std::string held(const schedule& order, std::size_t rank, bool recomputed = false) {
  std::string text;
  for (const auto& moment : engine::most_held(order, rank, recomputed)) {
    text += text.empty() ? "" : "; ";
    for (const auto& each : moment) {
      text += (&each == moment.data() ? "" : " ") + std::to_string(each.in_flight);
      if (each.recomputed != 0) text += "+" + std::to_string(each.recomputed);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("microbatches held at the same time") {
  CHECK(held(order_of(schedule_kind::one_forward_one_backward, 3, 8), 0) == "3");
  CHECK(held(order_of(schedule_kind::one_forward_one_backward, 3, 8), 2) == "1");
  CHECK(held(order_of(schedule_kind::gpipe, 3, 8), 2) == "8");
  CHECK(held(order_of(schedule_kind::zb_h1, 3, 8), 0) == "3");
  // 0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 ...: (3, 2) and, behind 2B1, no more of either.
  CHECK(held(order_of(schedule_kind::interleaved, 2, 4, 2), 0) == "3 2; 4 1");
  CHECK(held(order_of(schedule_kind::looped_bfs, 2, 4, 2), 1) == "4 4");
  const schedule sliced = stagecut::make_schedule(schedule_kind::sliced, {.ranks = 3, .microbatches = 4, .slices = 2});
  CHECK(held(sliced, 0) == "2");  // four slices
  schedule empty_rank = order_of(schedule_kind::gpipe, 1, 2);
  empty_rank.orders.resize(2);
  CHECK(engine::most_held(empty_rank, 1, false).empty());
}

TEST_CASE("of them those that are recomputed: one at a time where B is whole, from I to W where it is not") {
  CHECK(held(order_of(schedule_kind::one_forward_one_backward, 3, 8), 0, true) == "3+1");
  CHECK(held(order_of(schedule_kind::gpipe, 3, 8), 2, true) == "8+1");
  // As above, and behind 2F3 comes 0B1.
  CHECK(held(order_of(schedule_kind::interleaved, 2, 4, 2), 0, true) == "3 2+1; 4 1+1; 4+1 1; 3+1 2");
  CHECK(held(order_of(schedule_kind::looped_bfs, 2, 4, 2), 1, true) == "4 4+1; 4+1 0");
  // F0 F1 F2 I0 F3 I1 W0 ...: the input of 0 is let go after W.
  schedule split = order_of(schedule_kind::gpipe, 1, 3);
  split.orders[0] = {
      {op_kind::forward, 0, 0},         {op_kind::forward, 0, 1},         {op_kind::backward_input, 0, 0},
      {op_kind::backward_input, 0, 1},  {op_kind::backward_weight, 0, 0}, {op_kind::forward, 0, 2},
      {op_kind::backward_weight, 0, 1}, {op_kind::backward_input, 0, 2},  {op_kind::backward_weight, 0, 2}};
  CHECK(held(split, 0, true) == "2+2");
}

TEST_CASE("without a limit the constraint decides") {
  const schedule order = order_of(schedule_kind::interleaved, 2, 4, 2);
  const std::optional<double> none;
  const no_constraint all;
  const engine::model_rules<chains::layers, no_constraint> free(model, order, none, all);
  CHECK(free.allows(0, 0, 8));
  CHECK_FALSE(free.hopeless(0, 0, 8));
  CHECK_FALSE(free.has_rank_rules());
  const interval parts[2] = {{0, 4}, {4, 8}};
  CHECK(free.allows_rank(0, parts));
  const chains::forbidden short_ones{{}, {}, 2};
  const engine::model_rules<chains::layers, chains::forbidden> ruled(model, order, none, short_ones);
  CHECK(ruled.allows(1, 3, 5));
  CHECK_FALSE(ruled.allows(1, 3, 6));
  CHECK(ruled.hopeless(1, 3, 6));
  const stagecut::search_options limits;
  stagecut::engine::search_clock clock(limits);
  const engine::stage_rules as_constraint(ruled, clock);
  CHECK(as_constraint(1, 3, 5));
  CHECK_FALSE(as_constraint(1, 3, 6));
  CHECK(as_constraint.hopeless(1, 3, 6));
}

TEST_CASE("memory of a stage, and of a rank") {
  const std::optional<double> bytes = 70;
  const no_constraint all;
  const schedule flat = order_of(schedule_kind::one_forward_one_backward, 2, 4);
  const engine::model_rules<chains::layers, no_constraint> one(model, flat, bytes, all);
  CHECK(one.allows(0, 0, 3));  // 6 and 3 layers of 2 microbatches
  CHECK_FALSE(one.allows(0, 0, 4));
  CHECK(one.allows(1, 0, 4));  // 10 and 4 layers of 1
  CHECK_FALSE(one.has_rank_rules());
  const schedule loop = order_of(schedule_kind::interleaved, 2, 4, 2);
  const engine::model_rules<chains::layers, no_constraint> two(model, loop, bytes, all);
  CHECK(two.has_rank_rules());
  const interval small[2] = {{0, 1}, {1, 2}};  // 3 and, of 3 and 2 or 4 and 1 microbatches, 50
  CHECK(two.allows_rank(0, small));
  const interval large[2] = {{0, 1}, {1, 3}};  // 6 and 70 or 60
  CHECK_FALSE(two.allows_rank(0, large));
  CHECK_FALSE(two.allows(0, 0, 2));  // 3 and 80
  CHECK(two.may_be(0, 0, 2));        // had it room
}

TEST_CASE("ranks with memory of their own are asked about that, and sums count against the greatest") {
  const no_constraint all;
  const schedule flat = order_of(schedule_kind::one_forward_one_backward, 2, 4);
  const engine::model_rules<chains::layers, no_constraint> one(model, flat, std::nullopt, all, {70, 42});
  CHECK(one.allows(0, 0, 3));  // 6 and 3 layers of 2 microbatches
  CHECK_FALSE(one.allows(0, 0, 4));
  CHECK(one.allows(1, 1, 3));  // 10 of each of 2 layers of 1
  CHECK_FALSE(one.allows(1, 0, 5));
  CHECK(one.limits_differ());
  CHECK(one.memory_limit() == 70);
  const double here = one.stage_memory(0, 0, 3, {2, 0});
  const double there = one.stage_memory(1, 0, 3, {2, 0});
  CHECK(there < here * (70.0 / 42));
  CHECK(there == doctest::Approx(here * (70.0 / 42)).epsilon(1e-11));
  CHECK(one.held(0, 0, 3) == one.stage_memory(0, 0, 3, {2, 0}));
  const schedule loop = order_of(schedule_kind::interleaved, 2, 4, 2);
  const engine::model_rules<chains::layers, no_constraint> two(model, loop, std::nullopt, all, {70, 52});
  const interval small[2] = {{0, 1}, {1, 2}};
  CHECK(two.allows_rank(0, small));
  const engine::model_rules<chains::layers, no_constraint> less(model, loop, std::nullopt, all, {52, 70});
  CHECK_FALSE(less.allows_rank(0, small));
  CHECK(less.allows_rank(1, small));
  const engine::model_rules<chains::layers, no_constraint> equal(model, loop, std::nullopt, all, {70, 70});
  CHECK_FALSE(equal.limits_differ());
}

TEST_CASE("memory that is no memory is refused, with the place") {
  struct broken : item_times {
    using item_times::item_times;
    double value = 0;
    [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t, std::size_t) const {
      return first == 2 ? value : 1;
    }
  };
  broken times(ones, ones);
  const schedule order = order_of(schedule_kind::gpipe, 2, 4);
  const std::optional<double> bytes = 10;
  const no_constraint all;
  const engine::model_rules<broken, no_constraint> rules(times, order, bytes, all);
  CHECK(rules.allows(1, 2, 5));
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    CAPTURE(value);
    times.value = value;
    CHECK(rules.allows(1, 3, 5));
    std::string said;
    try {
      (void)rules.allows(1, 2, 5);
    } catch (const stagecut::invalid_input& error) {
      said = error.what();
    }
    CHECK(said.find("model.memory of layers [2, 5) as stage 1, with 4 microbatches") != std::string::npos);
    CHECK(said.find(value < 0 ? "negative" : "NaN") != std::string::npos);
  }
  times.value = std::numeric_limits<double>::infinity();  // wherever it is, it has no room
  CHECK_FALSE(rules.allows(1, 2, 5));
}

TEST_CASE("a model that does not know of memory needs none") {
  const item_times times(ones, ones);
  const schedule order = order_of(schedule_kind::gpipe, 2, 4);
  const std::optional<double> bytes = 0;
  const no_constraint all;
  const engine::model_rules<item_times, no_constraint> rules(times, order, bytes, all);
  CHECK(rules.allows(0, 0, 8));
  CHECK_FALSE(rules.hopeless(0, 0, 8));
}
