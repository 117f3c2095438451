// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/looped_bfs.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zbv.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "oracle.hpp"

using oracle::dice;
using stagecut::backward_order;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::transfer_kind;
using time_t64 = std::int64_t;
using times = std::vector<time_t64>;

namespace {

constexpr int rounds = 1000;

time_t64 ticks(std::size_t count) { return static_cast<time_t64>(count); }
time_t64 sum(const times& values) { return std::accumulate(values.begin(), values.end(), time_t64{0}); }
time_t64 most(const times& values) { return *std::max_element(values.begin(), values.end()); }

times random_stages(dice& random, std::size_t stages, std::size_t below) {
  times result(stages);
  for (time_t64& each : result) each = ticks(random.below(below));
  return result;
}

/// Messages that take c over every boundary between ranks, and hold up nothing else.
stagecut::transfer_times<time_t64> hops(time_t64 c) {
  return {.kind = transfer_kind::latency, .forward = {c}, .backward = {c}};
}

time_t64 makespan(const schedule& order, const times& forward, const times& backward, time_t64 c = 0) {
  return simulate(order, stagecut::pass_times<time_t64>{.forward = forward, .backward = backward}, hops(c)).makespan;
}
/// Of equal stages.
time_t64 makespan(const schedule& order, time_t64 f, time_t64 b, time_t64 c = 0) {
  return makespan(order, times(order.stages(), f), times(order.stages(), b), c);
}

/// Of equal stages with split backward passes.
stagecut::simulation<time_t64> split_run(const schedule& order, time_t64 f, time_t64 i, time_t64 w, time_t64 c) {
  const std::size_t n = order.stages();
  return simulate(order,
                  stagecut::pass_times<time_t64>{
                      .forward = times(n, f), .backward_input = times(n, i), .backward_weight = times(n, w)},
                  hops(c));
}

/// Microbatches, each of one stage, that every rank holds at most.
std::vector<std::size_t> peaks(const schedule& order) {
  std::vector<std::size_t> result;
  for (const auto& rank : stagecut::memory_curve(order, stagecut::simulation<time_t64>{})) {
    result.push_back(static_cast<std::size_t>(rank.peak_activations * static_cast<double>(order.slices) + 0.5));
  }
  return result;
}

}  // namespace

TEST_CASE("GPipe: any stages, and equal ones with messages") {
  dice random(1);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 8);
    const std::size_t m = random.from(1, 16);
    const times f = random_stages(random, p, 30);
    const times b = random_stages(random, p, 30);
    const time_t64 expected = sum(f) + ticks(m - 1) * most(f) + sum(b) + ticks(m - 1) * most(b);
    REQUIRE(makespan(stagecut::gpipe(p, m), f, b) == expected);
    REQUIRE(makespan(stagecut::gpipe(p, m, backward_order::last_in_first_out), f, b) == expected);
    // Whatever the ratio of the three.
    const time_t64 c = ticks(random.below(40));
    REQUIRE(makespan(stagecut::gpipe(p, m), f[0], b[0], c) == ticks(m + p - 1) * (f[0] + b[0]) + 2 * ticks(p - 1) * c);
  }
}

TEST_CASE("1F1B: equal stages, with messages") {
  dice random(2);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 8);
    const std::size_t m = random.from(1, 20);
    const time_t64 f = ticks(random.below(30));
    const time_t64 b = ticks(random.below(30));
    const time_t64 c = ticks(random.below(40));
    const schedule order = stagecut::one_forward_one_backward(p, m);
    REQUIRE(makespan(order, f, b) == ticks(m + p - 1) * (f + b));
    REQUIRE(makespan(order, f, b, c) ==
            ticks(m + p - 1) * (f + b) + 2 * c * (ticks(p - 1) + ticks((m - 1) * (p - 1) / p)));
  }
}

TEST_CASE("1F1B and its kin: what one more microbatch takes in the long run") {
  dice random(3);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 4);
    const bool one = random.once_in(2);
    std::vector<std::size_t> in_flight(p);
    for (std::size_t r = p; r-- > 0;) {
      in_flight[r] = one ? p - r : (r + 1 < p ? in_flight[r + 1] : 1) + random.below(3);
    }
    const times f = random_stages(random, p, 8);
    const times b = random_stages(random, p, 8);
    const times down = random_stages(random, p, random.once_in(2) ? 1 : 6);
    const times up = random_stages(random, p, random.once_in(2) ? 1 : 6);
    // The most of any run of ranks, as a fraction.
    time_t64 over = 0;
    time_t64 under = 1;
    std::size_t common = 1;  // microbatches after which the fractions are whole
    for (std::size_t r = 0; r < p; ++r) {
      time_t64 total = 0;
      for (std::size_t k = r; k < p; ++k) {
        total += f[k] + b[k] + (k > r ? down[k - 1] + up[k - 1] : 0);
        const std::size_t divisor = in_flight[r] - in_flight[k] + 1;
        common = std::lcm(common, divisor);
        if (total * under > over * ticks(divisor)) over = total, under = ticks(divisor);
      }
    }
    // Long enough that the heaviest run prevails over any other.
    const std::size_t m = 800;
    const stagecut::transfer_times<time_t64> transfers{.kind = transfer_kind::latency,
                                                       .forward = times(down.begin(), down.end() - 1),
                                                       .backward = times(up.begin(), up.end() - 1)};
    const auto run = [&](std::size_t microbatches) {
      const stagecut::task_graph graph(one ? stagecut::one_forward_one_backward(p, microbatches)
                                           : stagecut::in_flight_order(in_flight, microbatches),
                                       {.transfers = transfer_kind::latency, .with_transfers = true});
      stagecut::simulation_workspace<time_t64> workspace;
      return graph.makespan({.forward = f, .backward = b}, transfers, workspace);
    };
    REQUIRE((run(m + common) - run(m)) * under == over * ticks(common));
  }
}

TEST_CASE("eager 1F1B hides messages of up to half a forward and backward pass") {
  dice random(4);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 8);
    const std::size_t m = random.from(1, 24);
    const time_t64 f = ticks(random.below(30));
    const time_t64 b = ticks(random.below(30));
    const time_t64 c = ticks(random.below(static_cast<std::size_t>((f + b) / 2 + 1)));
    REQUIRE(makespan(stagecut::eager_one_forward_one_backward(p, m), f, b, c) ==
            ticks(m + p - 1) * (f + b) + 2 * c * ticks(p - 1));
  }
}

TEST_CASE("interleaved: equal stages, with messages") {
  dice random(5);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(2, 6);  // of a rank alone there are no messages
    const std::size_t v = random.from(2, 4);  // with one stage a rank it is 1F1B
    const std::size_t m = p * random.from(1, 4);
    const time_t64 f = ticks(random.below(30));
    const time_t64 b = ticks(random.below(30));
    const bool one_group = m == p;
    const time_t64 longest = (one_group ? f + b : std::min(f, b)) / 2;
    const time_t64 c = ticks(random.below(static_cast<std::size_t>(longest + 1)));
    const auto expected = [&](time_t64 hop) {
      return ticks(v * m) * (f + b) + ticks(p - 1) * (f + b) + 2 * hop * ticks(p * v - 1);
    };
    const schedule order = stagecut::interleaved_one_forward_one_backward(p, v, m);
    REQUIRE(makespan(order, f, b) == expected(0));
    REQUIRE(makespan(order, f, b, c) == expected(c));
  }
}

TEST_CASE("looped breadth-first: equal stages, with messages") {
  dice random(6);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(2, 6);  // of a rank alone there are no messages
    const std::size_t v = random.from(1, 4);
    const std::size_t m = p + random.below(10);
    const time_t64 f = ticks(random.below(30));
    const time_t64 b = ticks(random.below(30));
    const time_t64 c = ticks(random.below(40));
    const auto wait = [&](time_t64 pass) { return std::max<time_t64>(0, ticks(p) * c - ticks(m - p) * pass); };
    REQUIRE(makespan(stagecut::looped_bfs(p, v, m), f, b, c) ==
            ticks(v * m + p - 1) * (f + b) + 2 * ticks(p - 1) * c + ticks(v - 1) * (wait(f) + wait(b)));
  }
}

TEST_CASE("ZB-H1 and ZB-H2: equal stages, with messages") {
  dice random(7);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 6);
    const std::size_t m = 2 * p + random.below(8);
    const time_t64 w = ticks(random.below(20));
    const time_t64 f = w + ticks(random.below(20));
    const time_t64 i = w + ticks(random.below(20));
    const time_t64 work = ticks(m) * (f + i + w);
    const time_t64 c = ticks(random.below(static_cast<std::size_t>(w / 2 + 1)));
    REQUIRE(split_run(stagecut::zb_h1(p, m), f, i, w, c).makespan == work + ticks(p - 1) * (f + i - w + 4 * c));
    const time_t64 d = ticks(random.below(static_cast<std::size_t>(std::min(f / 2, w) + 1)));
    REQUIRE(split_run(stagecut::zb_h2(p, m), f, i, w, d).span == work + ticks(p - 1) * (f + i - 2 * w + 2 * d));
  }
}

TEST_CASE("zero bubble over several stages a rank: F, I and W that take equally long") {
  dice random(8);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 6);
    const std::size_t v = random.from(1, 4);
    const std::size_t m = p * random.from(1, 4);
    const time_t64 f = ticks(random.below(30));
    REQUIRE(split_run(stagecut::interleaved_zero_bubble(p, v, m), f, f, f, 0).makespan == ticks(3 * v * m + p - 1) * f);
    const std::size_t n = 2 * p - 1 + random.below(12);
    const auto run = split_run(stagecut::zbv(p, n), f, f, f, 0);
    REQUIRE(run.span == ticks(6 * n) * f);
    REQUIRE(run.makespan == ticks(6 * n + p - 1) * f);
  }
}

TEST_CASE("slices of the sequence: equal stages and slices") {
  dice random(9);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 8);
    const std::size_t m = random.from(1, 10);
    const std::size_t slices = random.from(1, 5);
    const time_t64 f = ticks(random.below(30));
    const time_t64 b = ticks(random.below(30));
    REQUIRE(makespan(stagecut::sliced_one_forward_one_backward(p, m, slices), f, b) ==
            ticks(m * slices + p - 1) * (f + b));
  }
}

TEST_CASE("the most microbatches in flight") {
  dice random(10);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t p = random.from(1, 8);
    const std::size_t v = random.from(2, 4);
    const std::size_t m = random.from(1, 24);
    const std::size_t slices = random.from(1, 5);
    const std::size_t whole = p * random.from(1, 4);
    const std::size_t least = std::max(m, 2 * p);
    const auto gpipe = peaks(stagecut::gpipe(p, m));
    const auto one = peaks(stagecut::one_forward_one_backward(p, m));
    const auto eager = peaks(stagecut::eager_one_forward_one_backward(p, m));
    const auto interleaved = peaks(stagecut::interleaved_one_forward_one_backward(p, v, whole));
    const auto looped = peaks(stagecut::looped_bfs(p, v, m));
    const auto zero = peaks(stagecut::interleaved_zero_bubble(p, v, whole));
    const auto h1 = peaks(stagecut::zb_h1(p, least));
    const auto h2 = peaks(stagecut::zb_h2(p, least));
    const auto up = peaks(stagecut::zbv(p, m));
    const auto dual = peaks(stagecut::dualpipev(p, least));
    const auto sliced = peaks(stagecut::sliced_one_forward_one_backward(p, m, slices));
    for (std::size_t r = 0; r < p; ++r) {
      const std::size_t behind = p - 1 - r;
      REQUIRE(gpipe[r] == m);
      REQUIRE(one[r] == std::min(p - r, m));
      REQUIRE(eager[r] == std::min(2 * behind + 1, m));
      REQUIRE(interleaved[r] == std::min(2 * behind + (v - 1) * p + 1, whole * v));
      REQUIRE(looped[r] == v * m);
      REQUIRE(zero[r] == std::min((v - 1) * p + p, whole * v));
      REQUIRE(h1[r] == p);
      REQUIRE(h2[r] == 2 * p - 1);
      REQUIRE(up[r] == std::min({2 * p, 2 * m, m + r + 1}));  // for m >= 2p - 1: 2p
      REQUIRE(dual[r] == 2 * p + 1);
      REQUIRE(sliced[r] == std::min(behind + slices, m * slices));
    }
  }
}

TEST_CASE("1F1B takes no longer than GPipe, and no less than a bound for each of its stages") {
  dice random(11);
  int tight = 0;
  for (int round = 0; round < 2 * rounds; ++round) {
    const std::size_t p = random.from(1, 7);
    const std::size_t m = random.from(1, 16);
    const times f = random_stages(random, p, 30);
    const times b = random_stages(random, p, 30);
    const time_t64 c = random.once_in(2) ? 0 : ticks(random.below(20));
    const time_t64 found = makespan(stagecut::one_forward_one_backward(p, m), f, b, c);
    if (c == 0) REQUIRE(found <= makespan(stagecut::gpipe(p, m), f, b));
    time_t64 bound = 0;
    for (std::size_t s = 0; s < p; ++s) {
      const std::size_t n = std::min(p - s, m);
      time_t64 up = 2 * c * ticks(s);
      time_t64 down = 2 * c * ticks(p - 1 - s);
      for (std::size_t i = 0; i < s; ++i) up += f[i] + b[i];
      for (std::size_t i = s + 1; i < p; ++i) down += f[i] + b[i];
      const time_t64 k = ticks(n);
      const time_t64 all = ticks(m);
      const time_t64 of_stage =
          n < m ? up + std::max(k * f[s], f[s] + down) + (all - k) * (f[s] + b[s]) + std::max(k * b[s], down + b[s])
                : up + std::max({all * (f[s] + b[s]), f[s] + down + all * b[s], all * f[s] + down + b[s]});
      bound = std::max(bound, of_stage);
    }
    REQUIRE(bound <= found);
    tight += bound == found ? 1 : 0;
  }
  CHECK(tight > rounds);  // and is often right
}
