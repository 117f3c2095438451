// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/warm_up.hpp>

#include <stagecut/graph/stage_makespan.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/search/detail/host_system.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "plain_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <vector>

using stagecut::argument_error;
using stagecut::choose_warm_up;
using stagecut::stage_makespan;
using stagecut::stage_pipeline;
using stagecut::transfer_kind;
using stagecut::warm_up_schedule;

namespace {

using counts = std::vector<std::size_t>;

/// Stages with whole numbers, some of them joined.
stage_pipeline random_stages(random_graphs& random, std::size_t k) {
  stage_pipeline of;
  for (auto* each : {&of.forward, &of.backward, &of.resident, &of.activations}) {
    for (std::size_t s = 0; s < k; ++s) each->push_back(1 + random.number(9));
  }
  const std::size_t scale = random.up_to(8);
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      if (random.up_to(2) == 0) continue;
      of.edges.push_back({a, b});
      of.send_forward.push_back(random.number(scale));
      of.send_backward.push_back(random.number(scale));
    }
  }
  return of;
}

bool fits(const stage_pipeline& of, const counts& warm_up, std::size_t m, double memory) {
  for (std::size_t s = 0; s < of.stages(); ++s) {
    if (of.resident[s] + static_cast<double>(std::min(warm_up[s] + 1, m)) * of.activations[s] > memory) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("counts by rank and by depth") {
  CHECK(stagecut::warm_up_by_rank(4) == counts{3, 2, 1, 0});
  CHECK(stagecut::warm_up_by_rank(0).empty());
  stage_pipeline of;
  of.forward = {1, 1, 1, 1, 1};
  of.edges = {{0, 1}, {0, 4}, {1, 3}, {2, 3}};
  CHECK(stagecut::warm_up_by_depth(of) == counts{2, 1, 1, 0, 0});
}

TEST_CASE("the schedule of counts is the library's where that has one") {
  random_graphs random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t k = 2 + random.up_to(3);
    const std::size_t m = 1 + random.up_to(5);
    stage_pipeline of = random_stages(random, k);
    if (of.edges.empty()) continue;
    counts warm_up(k);
    for (std::size_t& count : warm_up) count = random.up_to(m);
    std::sort(warm_up.rbegin(), warm_up.rend());
    counts in_flight;
    for (const std::size_t count : warm_up) in_flight.push_back(count + 1);
    auto expected = stagecut::make_schedule(stagecut::schedule_kind::in_flight,
                                            {.ranks = k, .microbatches = m, .in_flight = in_flight});
    expected.edges = of.edges;
    const auto found = warm_up_schedule(of, warm_up, m);
    CHECK(found == expected);
    for (std::size_t& count : in_flight) count = std::min(count, m);
    CHECK(stagecut::microbatches_in_flight(found) == in_flight);
  }
}

TEST_CASE("schedules that cannot be are refused") {
  stage_pipeline of;
  of.forward = of.backward = of.resident = of.activations = {1, 1};
  const auto refused = [&](const counts& warm_up) {
    return refusal<argument_error>([&] { return warm_up_schedule(of, warm_up, 4); });
  };
  CHECK(refused({1, 0}) ==
        "stagecut::warm_up_schedule: of.edges = {}, must join some stages: without edges the stages of a schedule are "
        "a chain");
  of.edges = {{0, 1}};
  of.send_forward = of.send_backward = {0};
  CHECK(refused({1, 0}) == "not refused");
  CHECK(refused({0, 1}) == "stagecut::warm_up_schedule: warm_up = {…}, must not rise along an edge: deadlock");
  CHECK(refused({0}) == "stagecut::warm_up_schedule: warm_up.size() = 1, must be the number of stages");
}

TEST_CASE("the counts chosen are the best of all that fit") {
  random_graphs random(4);
  int compared = 0;
  for (int round = 0; round < 500; ++round) {
    const std::size_t k = 2 + random.up_to(2);
    const std::size_t m = 2 + random.up_to(k == 4 ? 4 : 6);
    const stage_pipeline of = random_stages(random, k);
    const double memory = round % 2 == 0 ? 1e9 : 15 + random.number(30);
    const transfer_kind kind = round % 3 == 0 ? transfer_kind::latency : transfer_kind::link;
    stage_makespan price(of, m, kind);
    double best = -1;
    each_vector(counts(k, m), [&](const counts& warm_up) {
      if (!fits(of, warm_up, m, memory) || !price.runs(warm_up)) return;
      const double found = price(warm_up);
      if (best < 0 || found < best) best = found;
    });
    const auto found = choose_warm_up(of, m, kind, memory);
    REQUIRE(found.has_value() == (best >= 0));
    if (!found) {
      CHECK(found.why().what == stagecut::reason::cause::memory);
      continue;
    }
    ++compared;
    REQUIRE(fits(of, found->warm_up, m, memory));
    REQUIRE(price(found->warm_up) == found->makespan);
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->makespan == best);
  }
  CHECK(compared > 400);
}

TEST_CASE("counts that are too many to look at all of them are not worse than those by rank and by depth") {
  random_graphs random(17);
  for (int round = 0; round < 60; ++round) {
    const stage_pipeline of = random_stages(random, 6);
    const auto found = choose_warm_up(of, 16);
    stage_makespan price(of, 16);
    CHECK(found.state() == stagecut::state::feasible);
    CHECK(found->makespan == price(found->warm_up));
    CHECK(found->makespan <= price(stagecut::warm_up_by_rank(6)));
    CHECK(found->makespan <= price(stagecut::warm_up_by_depth(of)));
  }
}

TEST_CASE("counts above those by rank make iterations shorter where memory allows") {
  stage_pipeline join;
  join.forward = {2, 2, 2};
  join.backward = {4, 4, 4};
  join.resident = {0, 0, 0};
  join.activations = {1, 1, 1};
  join.edges = {{0, 2}, {1, 2}};
  join.send_forward = join.send_backward = {1, 1};
  const auto free = choose_warm_up(join, 8, transfer_kind::latency);
  CHECK(free->makespan == 56);
  CHECK(free->warm_up == counts{2, 2, 0});
  const auto tight = choose_warm_up(join, 8, transfer_kind::latency, 2);
  CHECK(tight->makespan == 62);
  CHECK(tight->warm_up == counts{1, 1, 0});
  const auto none = choose_warm_up(join, 8, transfer_kind::latency, 0.5);
  REQUIRE_FALSE(none);
  CHECK(none.why().place == "stage 0");
  CHECK(refusal<argument_error>([&] { return choose_warm_up(join, 8, transfer_kind::latency, -1); }) ==
        "stagecut::choose_warm_up: memory_limit = -1.000000, must not be negative");
  CHECK(refusal<argument_error>([&] { return choose_warm_up(join, 0); }) ==
        "stagecut::choose_warm_up: microbatches = 0, must be at least 1");
}
