// SPDX-License-Identifier: BSL-1.0
// Orders of stages whose backward pass is shorter whole than apart: each pass of each rank may run either way.
#include <stagecut/orders/detail/mixed_orders.hpp>

#include <stagecut/orders/schedule_bound.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "../cases.hpp"

using stagecut::op_kind;
using stagecut::synthesis_request;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::state;
using stagecut::synthesize_schedule;

namespace {

constexpr int never = std::numeric_limits<int>::max() / 2;

struct pass {
  op_kind kind;
  int microbatch;
};
using rank_order = std::vector<pass>;

/// What a rank may hold, a microbatch counting `kept`, `whole` more while B runs, and `apart` more than that from I to W.
struct limits {
  int most;
  int kept = 1;
  int whole = 0;
  int apart = 0;

  [[nodiscard]] bool allow(int in_flight, int open, int run) const {
    return kept * in_flight + (whole + apart) * open + whole * run <= most;
  }
};

/// All orders of a rank that keep to its limits, each backward pass whole or apart.
void extend(rank_order& now, int m, const limits& most, std::vector<rank_order>& all) {
  int forward = 0;
  int backward = 0;
  std::vector<int> open;  // I without W
  int done = 0;
  for (const auto& pass : now) {
    if (pass.kind == op_kind::forward) ++forward;
    if (pass.kind == op_kind::backward) ++backward, ++done;
    if (pass.kind == op_kind::backward_input) ++backward, open.push_back(pass.microbatch);
    if (pass.kind == op_kind::backward_weight) open.erase(open.begin()), ++done;
  }
  if (done == m) return all.push_back(now);
  const auto go_on = [&](op_kind kind, int microbatch) {
    now.push_back({kind, microbatch});
    extend(now, m, most, all);
    now.pop_back();
  };
  const int in_flight = forward - done;
  const int parts = static_cast<int>(open.size());
  if (forward < m && most.allow(in_flight + 1, parts, 0)) go_on(op_kind::forward, forward);
  if (backward < forward && most.allow(in_flight, parts, 1)) go_on(op_kind::backward, backward);
  if (backward < forward && most.allow(in_flight, parts + 1, 0)) go_on(op_kind::backward_input, backward);
  if (!open.empty()) go_on(op_kind::backward_weight, open.front());
}

struct stage_times {
  int forward, backward, input, weight;
};

/// When two ranks end that run these orders; `never` if they wait for each other for ever.
int iteration(const std::array<const rank_order*, 2>& orders, const std::array<stage_times, 2>& times, int m, int down,
              int up) {
  std::vector<int> forward_done(static_cast<std::size_t>(m), never);
  std::vector<int> gradient(static_cast<std::size_t>(m), never);
  std::array<std::size_t, 2> at{};
  std::array<int, 2> now{};
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < 2; ++r) {
      while (at[r] < orders[r]->size()) {
        const pass& each = (*orders[r])[at[r]];
        const auto k = static_cast<std::size_t>(each.microbatch);
        int ready = 0;
        if (each.kind == op_kind::forward && r == 1) ready = forward_done[k] == never ? never : forward_done[k] + down;
        const bool back = each.kind == op_kind::backward || each.kind == op_kind::backward_input;
        if (back && r == 0) ready = gradient[k] == never ? never : gradient[k] + up;
        if (ready >= never) break;
        const int takes = each.kind == op_kind::forward          ? times[r].forward
                          : each.kind == op_kind::backward       ? times[r].backward
                          : each.kind == op_kind::backward_input ? times[r].input
                                                                 : times[r].weight;
        now[r] = std::max(now[r], ready) + takes;
        if (each.kind == op_kind::forward && r == 0) forward_done[k] = now[r];
        if (back && r == 1) gradient[k] = now[r];
        ++at[r];
        moved = true;
      }
    }
  }
  if (at[0] < orders[0]->size() || at[1] < orders[1]->size()) return never;
  return std::max(now[0], now[1]);
}

struct drawn {
  std::array<stage_times, 2> of;
  int m, down, up;
  std::array<limits, 2> most;
  pass_times<double> times{};
  stagecut::transfer_times<double> transfers{};
  synthesis_request request{};

  explicit drawn(std::mt19937& random, bool recomputes = false) {
    const auto from = [&](int least, int greatest) {
      return std::uniform_int_distribution<int>(least, greatest)(random);
    };
    m = from(1, 3);
    down = from(0, 1) * from(0, 3);
    up = down;
    std::vector<double> memory;
    for (std::size_t r = 0; r < 2; ++r) {
      stage_times& each = of[r];
      each = {from(0, 6), 0, from(0, 6), from(0, 6)};
      each.backward = from(std::max(each.input, each.weight) / 2, each.input + each.weight + from(0, 1));
      most[r] = {from(1, m)};
      if (recomputes) {
        each.backward += from(0, 1) * from(0, 2);
        most[r] = {0, from(1, 4), from(0, 3), from(0, 3)};
        most[r].most = most[r].kept + most[r].whole + from(0, 2 * m) * from(1, 2);
        request.bytes.activations.push_back(most[r].kept);
        request.bytes.recomputed.push_back(most[r].whole);
        request.bytes.recomputed_apart.push_back(most[r].apart);
      }
      times.forward.push_back(each.forward);
      times.backward.push_back(each.backward);
      times.backward_input.push_back(each.input);
      times.backward_weight.push_back(each.weight);
      memory.push_back(most[r].most);
    }
    request.memory_limit = memory;
    if (down != 0)
      transfers = {stagecut::transfer_kind::latency, {static_cast<double>(down)}, {static_cast<double>(up)}};
    request.microbatches = static_cast<std::size_t>(m);
    request.search.time_limit.reset();
    request.search.node_limit = 3000;
  }

  [[nodiscard]] int least() const {
    std::array<std::vector<rank_order>, 2> all;
    for (std::size_t r = 0; r < 2; ++r) {
      rank_order now;
      extend(now, m, most[r], all[r]);
    }
    int best = never;
    for (const rank_order& one : all[0]) {
      for (const rank_order& two : all[1]) best = std::min(best, iteration({&one, &two}, of, m, down, up));
    }
    return best;
  }
};

}  // namespace

TEST_CASE("no bound is above the least makespan of all orders, whole or apart, and few orders are above it") {
  std::mt19937 random(21);
  std::size_t proved = 0;
  std::size_t above = 0;
  std::size_t all = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    CAPTURE(round);
    const drawn here(random);
    const int least = here.least();
    if (least == never) continue;
    ++all;
    const auto made = synthesize_schedule(here.times, here.transfers, here.request);
    REQUIRE(made);
    CHECK(made->makespan >= least);
    CHECK(made->bound <= least);
    CHECK(stagecut::simulate(made->schedule, here.times, here.transfers).makespan == made->makespan);
    const auto bound = stagecut::schedule_bound(here.times, here.transfers, here.request);
    CHECK(bound->makespan <= least);
    std::size_t rank = 0;
    for (const auto& memory : memory_curve(made->schedule, stagecut::simulation<double>())) {
      CHECK(memory.peak() <= here.request.memory_limit.of(rank++, 0));
    }
    if (made.state() == state::optimal) CHECK(made->makespan == least);
    proved += made.state() == state::optimal ? 1 : 0;
    above += made->makespan > least ? 1 : 0;
  }
  MESSAGE("proved ", proved, ", above the least ", above, " of ", all);
  CHECK(proved * 10 > all * 7);
  CHECK(above * 100 < all * 2);
}

TEST_CASE(
    "what layers compute again is there from I to W, and of one layer in B: memory is kept to, and no bound is above") {
  std::mt19937 random(23);
  std::size_t above = 0;
  std::size_t all = 0;
  std::size_t mixed = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    CAPTURE(round);
    const drawn here(random, true);
    const int least = here.least();
    if (least == never) continue;
    ++all;
    const auto made = synthesize_schedule(here.times, here.transfers, here.request);
    REQUIRE(made);
    CHECK(made->makespan >= least);
    CHECK(made->bound <= least);
    CHECK(stagecut::schedule_bound(here.times, here.transfers, here.request)->makespan <= least);
    std::size_t rank = 0;
    for (const auto& memory : memory_curve(made->schedule, stagecut::simulation<double>(), here.request.bytes)) {
      CHECK(memory.peak() <= here.request.memory_limit.of(rank++, 0));
    }
    if (made.state() == state::optimal) CHECK(made->makespan == least);
    above += made->makespan > least ? 1 : 0;
    mixed +=
        stagecut::has_kind(made->schedule, op_kind::backward) && stagecut::has_kind(made->schedule, op_kind::backward_input) ? 1 : 0;
  }
  MESSAGE("above the least ", above, " of ", all, ", mixed ", mixed);
  CHECK(mixed * 20 > all);
  CHECK(above * 10 < all);
}

TEST_CASE("no longer than a named schedule that runs B whole, nor than one that runs I and W") {
  std::mt19937 random(22);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::size_t p = 2 + random() % 3;
    synthesis_request request;
    request.microbatches = p + random() % 6;
    request.search.time_limit.reset();
    request.search.node_limit = 400;
    pass_times<std::int64_t> times;
    for (std::size_t s = 0; s < p; ++s) {
      times.forward.push_back(static_cast<std::int64_t>(1 + random() % 9));
      times.backward_input.push_back(static_cast<std::int64_t>(2 + random() % 9));
      times.backward_weight.push_back(static_cast<std::int64_t>(2 + random() % 9));
      times.backward.push_back(std::max(times.backward_input[s], times.backward_weight[s]));
    }
    const auto made = synthesize_schedule(times, {}, request);
    REQUIRE(made);
    for (const auto& entry : stagecut::schedules) {
      if (!stagecut::has_shape(entry.kind, p, 1, request.microbatches)) continue;
      CAPTURE(entry.name);
      const schedule named = make_schedule(entry.kind, {.ranks = p, .microbatches = request.microbatches});
      CHECK(made->makespan <= stagecut::simulate(named, times).makespan);
    }
  }
}

TEST_CASE("worked out by hand: of two stages with B as long as I, gpipe is best, and no order of I and W alone is") {
  const pass_times<std::int64_t> times{
      .forward = {1, 3}, .backward = {2, 3}, .backward_input = {2, 3}, .backward_weight = {2, 3}};
  synthesis_request request;
  request.microbatches = 4;
  const auto made = synthesize_schedule(times, {}, request);
  REQUIRE(made.state() == state::optimal);
  CHECK(made->makespan == 27);
  pass_times<std::int64_t> apart = times;
  apart.backward.clear();
  CHECK(synthesize_schedule(apart, {}, request)->makespan == 37);
}

TEST_CASE("where no B is shorter nothing is mixed; by rounding alone none is") {
  synthesis_request request;
  request.microbatches = 3;
  const pass_times<double> times{
      .forward = {0.1, 0.3}, .backward = {0.1 + 0.2, 0.7}, .backward_input = {0.1, 0.3}, .backward_weight = {0.2, 0.3}};
  const auto made = synthesize_schedule(times, {}, request);
  REQUIRE(made);
  for (const auto& rank : made->schedule.orders) {
    for (const auto& op : rank) CHECK(op.kind != op_kind::backward);
  }
}
