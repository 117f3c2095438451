// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/generators/backward_first.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

using stagecut::backward_first;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::simulate;
using stagecut::transfer_kind;
using stagecut::transfer_times;
using integer_times = std::vector<std::int64_t>;
using counts = std::vector<std::size_t>;

namespace {

pass_times<std::int64_t> passes(integer_times forward, integer_times backward) {
  pass_times<std::int64_t> times;
  times.forward = std::move(forward);
  times.backward = std::move(backward);
  return times;
}

counts one_each_less(std::size_t p) {
  counts result;
  for (std::size_t r = 0; r < p; ++r) result.push_back(p - r);
  return result;
}

/// The policy, tick by tick: each free rank looks at what has arrived by now.
std::vector<std::vector<std::pair<bool, std::size_t>>> by_ticks(const pass_times<std::int64_t>& times,
                                                                const transfer_times<std::int64_t>& transfers,
                                                                const counts& active, std::size_t m) {
  const std::size_t p = active.size();
  std::vector<std::vector<std::pair<bool, std::size_t>>> orders(p);
  std::map<std::tuple<std::size_t, bool, std::size_t>, std::int64_t> there;  // rank, back, microbatch: since when
  for (std::size_t k = 0; k < m; ++k) there[{0, false, k}] = 0;
  std::vector<std::int64_t> free(p, 0);
  std::map<std::pair<std::size_t, bool>, std::int64_t> link;
  std::vector<std::size_t> done[2] = {std::vector<std::size_t>(p), std::vector<std::size_t>(p)};
  std::size_t left = 2 * p * m;
  for (std::int64_t now = 0; left > 0; ++now) {
    REQUIRE(now < 1000000);
    for (std::size_t r = 0; r < p; ++r) {
      if (free[r] > now) continue;
      for (const bool back : {true, false}) {
        const std::size_t k = done[back][r];
        const auto arrival = there.find({r, back, k});
        if (arrival == there.end() || arrival->second > now) continue;
        if (!back && done[0][r] - done[1][r] == active[r]) continue;
        orders[r].push_back({back, k});
        --left;
        ++done[back][r];
        free[r] = now + (back ? times.backward : times.forward)[r];
        if (!back && r + 1 == p) there[{r, true, k}] = free[r];
        if (back ? r > 0 : r + 1 < p) {
          const auto& seconds = back ? transfers.backward : transfers.forward;
          const std::int64_t takes = seconds.empty() ? 0 : seconds[back ? r - 1 : r];
          std::int64_t leaves = free[r];
          if (transfers.kind == transfer_kind::link) leaves = std::max(leaves, link[{r, back}]);
          link[{r, back}] = leaves + takes;
          there[{back ? r - 1 : r + 1, back, k}] = leaves + takes;
        }
        break;
      }
    }
  }
  return orders;
}

}  // namespace

TEST_CASE("backward first: the order of a run tick by tick, which its simulation repeats") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t p = 1 + random() % 5;
    const std::size_t m = 1 + random() % 9;
    pass_times<std::int64_t> times;
    transfer_times<std::int64_t> transfers;
    transfers.kind = random() % 2 == 0 ? transfer_kind::link : transfer_kind::latency;
    counts active;
    for (std::size_t r = 0; r < p; ++r) {
      times.forward.push_back(1 + random() % 9);
      times.backward.push_back(1 + random() % 9);
      active.push_back(1 + random() % 6);
    }
    for (std::size_t b = 0; b + 1 < p && round % 3 != 0; ++b) {
      transfers.forward.push_back(random() % 6);
      transfers.backward.push_back(random() % 6);
    }
    const auto order = backward_first(times, transfers, active, m);
    const auto expected = by_ticks(times, transfers, active, m);
    for (std::size_t r = 0; r < p; ++r) {
      REQUIRE(order.orders[r].size() == expected[r].size());
      for (std::size_t i = 0; i < expected[r].size(); ++i) {
        REQUIRE((order.orders[r][i].kind == op_kind::backward) == expected[r][i].first);
        REQUIRE(order.orders[r][i].microbatch == expected[r][i].second);
      }
      REQUIRE(stagecut::memory_curve(order, simulate(order, times, transfers))[r].peak() <=
              static_cast<double>(std::min(active[r], m)));
    }
  }
}

TEST_CASE("backward first: equal stages run 1F1B, and SageMaker's limit of p + 2 buys nothing") {
  for (std::size_t p = 1; p <= 6; ++p) {
    for (std::size_t m = p; m <= 16; m += 3) {
      const auto times = passes(integer_times(p, 1), integer_times(p, 2));
      CHECK(backward_first(times, {}, one_each_less(p), m).orders == stagecut::one_forward_one_backward(p, m).orders);
    }
  }
  const auto times = passes({1, 1, 1, 1}, {2, 2, 2, 2});
  const auto peaks = [&](std::size_t active) {
    const auto order = backward_first(times, {}, counts(4, active), 8);
    const auto run = simulate(order, times);
    CHECK(run.makespan == 33);
    counts result;
    for (const auto& rank : stagecut::memory_curve(order, run)) {
      result.push_back(static_cast<std::size_t>(rank.peak_activations));
    }
    return result;
  };
  CHECK(peaks(6) == counts{6, 6, 4, 1});
  CHECK(peaks(8) == counts{8, 7, 4, 1});
}

TEST_CASE("backward first: unequal stages, against the fixed order of 1F1B") {
  std::mt19937 random(11);
  int better = 0;
  int worse = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t p = 2 + random() % 4;
    const std::size_t m = 1 + random() % 12;
    pass_times<std::int64_t> times;
    for (std::size_t r = 0; r < p; ++r) {
      times.forward.push_back(1 + random() % 9);
      times.backward.push_back(1 + random() % 9);
    }
    const auto dynamic = simulate(backward_first(times, {}, one_each_less(p), m), times).makespan;
    const auto fixed = simulate(stagecut::one_forward_one_backward(p, m), times).makespan;
    better += dynamic < fixed;
    worse += dynamic > fixed;
  }
  CHECK(worse > 300);  // the policy is not the order that it is taken for
  CHECK(better > 0);
  CHECK(better < worse);
}

TEST_CASE("backward first: what is refused") {
  const auto times = passes({1, 1}, {2, 2});
  CHECK_THROWS_WITH_AS((void)backward_first(times, {}, counts{2, 0}, 4),
                       "stagecut::backward_first: active[1] = 0, must be at least 1", stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)backward_first(times, {}, counts{2, 2}, 0), doctest::Contains("microbatches = 0"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)backward_first(times, {}, counts{2, 2, 2}, 4),
                       "forward: has 2 elements, the schedule has 3 stages", stagecut::invalid_input);
  transfer_times<std::int64_t> blocking{transfer_kind::blocking, {1}, {1}};
  CHECK_THROWS_WITH_AS((void)backward_first(times, blocking, counts{2, 2}, 4), doctest::Contains("transfers.kind"),
                       stagecut::argument_error);
}

TEST_CASE("backward first: stages that are no chain are refused, edges of a chain change nothing") {
  using edges = std::vector<stagecut::stage_edge>;
  const auto times = passes({1, 2, 3}, {2, 4, 6});
  const auto with = [&](const edges& between) { return backward_first(times, {}, counts{3, 2, 1}, 4, between); };
  const auto order = with({});
  CHECK(order.edges.empty());
  CHECK(with({{0, 1}, {1, 2}}) == order);
  for (const edges& each : {edges{{0, 2}, {1, 2}}, edges{{0, 1}, {0, 2}}, edges{{0, 1}, {0, 2}, {1, 2}}, edges{{0, 1}},
                            edges{{1, 2}, {0, 1}}}) {
    CHECK_THROWS_AS((void)with(each), stagecut::argument_error);
  }
  CHECK_THROWS_WITH((void)with({{0, 2}, {1, 2}}),
                    "stagecut::backward_first: edges = 2 edges, must be those of a chain, from each stage to the next "
                    "and no others");
  CHECK_THROWS_AS((void)backward_first(passes({1}, {1}), {}, counts{1}, 2, edges{{0, 1}}), stagecut::argument_error);
}

TEST_CASE("backward first: what ranks do afterwards does not decide") {
  auto times = passes({1, 2}, {2, 3});
  const auto order = backward_first(times, {}, counts{2, 2}, 4);
  times.all_reduce = {5, 5};
  times.optimizer_step = {7, 7};
  CHECK(backward_first(times, {}, counts{2, 2}, 4) == order);
  CHECK(backward_first(times, {transfer_kind::stream, {}, {}}, counts{2, 2}, 4) == order);
  CHECK(simulate(order, times).makespan > 7);
  times = passes({1}, {});
  times.backward_input = {1};
  times.backward_weight = {1};
  CHECK(backward_first(times, {}, counts{1}, 3).orders[0].size() == 6);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_WITH_AS((void)backward_first(passes({most, 1}, {1, 1}), {}, counts{2, 2}, 2),
                       doctest::Contains("not representable"), stagecut::invalid_input);
  CHECK_NOTHROW((void)backward_first(passes({most / 8}, {most / 8}), {}, counts{1}, 3));
}
