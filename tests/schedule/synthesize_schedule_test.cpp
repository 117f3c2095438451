// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/synthesize_schedule.hpp>

#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "least_order.hpp"
#include "small_orders.hpp"

using stagecut::order_request;
using stagecut::pass_times;
using stagecut::synthesize_schedule;
using stagecut::transfer_kind;
using stagecut::transfer_times;
using ticks = std::int64_t;

namespace {

/// What is wrong with an answer, or nothing.
std::string fault(const small_orders& of, const stagecut::synthesized<ticks>& made) {
  const auto run = stagecut::simulate(made.order, of.times, of.transfers);
  if (run.makespan != made.makespan) return "makespan";
  if (made.bound > made.makespan) return "bound";
  const auto memory = stagecut::memory_curve(made.order, run, of.request.bytes);
  for (std::size_t r = 0; r < memory.size() && !of.request.memory.empty(); ++r) {
    if (memory[r].peak() > of.request.memory[r]) return "memory";
  }
  return "";
}

struct shape {
  std::size_t ranks, chunks, microbatches;
  bool split;
};

/// Stages that take and keep the same.
order_request even_request(std::vector<std::size_t> rank_of, double memory) {
  order_request request;
  request.bytes.activations.assign(rank_of.size(), 2);
  request.bytes.weight_part.assign(rank_of.size(), 1);
  request.rank_of = std::move(rank_of);
  request.microbatches = 8;
  request.memory = {memory};
  request.limits = {std::nullopt, 60000, {}, {}};
  return request;
}

pass_times<ticks> even_times(std::size_t stages) {
  return {std::vector<ticks>(stages, 10), {}, std::vector<ticks>(stages, 10), std::vector<ticks>(stages, 10), {}, {}, {}};
}

}  // namespace

TEST_CASE("Orders: no bound above the least makespan of all orders, and few orders above it") {
  small_orders of(1);
  std::size_t solved = 0, best = 0, proved = 0, infeasible = 0;
  constexpr shape shapes[] = {{1, 1, 3, true},  {2, 1, 3, true},  {3, 1, 2, true},  {2, 1, 4, false}, {3, 1, 3, false},
                              {1, 2, 2, true},  {2, 2, 1, true},  {2, 2, 2, false}, {2, 2, 3, false}, {1, 3, 2, false}};
  for (std::size_t i = 0; i < 1000; ++i) {
    const shape& each = shapes[i % 10];
    of.next(each.ranks, each.chunks, each.microbatches, each.split);
    CAPTURE(i);
    const std::optional<ticks> least = least_order(of.times, of.transfers, of.request)(200000);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    REQUIRE(found.has_value() == least.has_value());
    if (!least) {
      CHECK(found.state() == stagecut::state::infeasible);
      ++infeasible;
      continue;
    }
    CHECK(fault(of, *found) == "");
    CHECK(found->bound <= *least);
    CHECK(*least <= found->makespan);
    if (found.state() == stagecut::state::optimal) CHECK(found->makespan == *least);
    ++solved;
    best += found->makespan == *least ? 1U : 0U;
    proved += found.state() == stagecut::state::optimal ? 1U : 0U;
  }
  MESSAGE(solved, " solved, ", best, " best, ", proved, " proved, ", infeasible, " infeasible");
  CHECK(infeasible > 50);
  CHECK(best * 100 >= solved * 97);
  CHECK(proved * 100 >= solved * 85);
}

TEST_CASE("Orders: with two stages a rank and hardly any memory none is stuck") {
  small_orders of(2);
  for (std::size_t i = 0; i < 3000; ++i) {
    of.next(2 + i % 3, 2, 2 + i % 5, i % 2 == 0);
    of.request.bytes.recomputed.clear();
    of.limit(1, 1.6);
    of.request.limits.node_limit = 20;
    CAPTURE(i);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    REQUIRE(found.has_value());
    CHECK(fault(of, *found) == "");
  }
}

TEST_CASE("Orders: figures for stages that take the same") {
  const auto made = [](std::vector<std::size_t> rank_of, double memory) {
    const auto times = even_times(rank_of.size());
    return synthesize_schedule(times, transfer_times<ticks>{}, even_request(std::move(rank_of), memory));
  };
  const auto one = stagecut::loop_placement(4, 1);
  const auto vee = stagecut::v_placement(4);
  // 1F1B keeps four microbatches of 2; its backward passes are 20.
  CHECK(made(one, 8)->makespan == 270);
  CHECK(made(one, 8).state() == stagecut::state::optimal);
  CHECK(made(one, 6)->makespan <= 310);
  CHECK(made(one, 4)->makespan <= 410);
  CHECK(made(vee, 16)->makespan == 510);
  CHECK(made(vee, 16).state() == stagecut::state::optimal);
  CHECK(made(vee, 12)->makespan <= 530);  // V-Half
  CHECK(made(vee, 8)->makespan <= 590);   // V-Min
}
