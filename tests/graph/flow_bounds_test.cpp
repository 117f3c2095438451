// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/flow_bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/graph/operator_set.hpp>

#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::message_overlap;
using stagecut::operator_costs;
using stagecut::detail::cut_network;
using stagecut::detail::flow_bounds;
using stagecut::detail::stage_counts;

namespace {

using ticks = operator_costs::ticks;

/// A problem without what the bounds take no notice of.
oracle::load_case plain_case(std::uint64_t seed, std::size_t n) {
  oracle::chance random(seed);
  oracle::load_case result = oracle::random_case(random, n, 4);
  for (auto& each : result.graph.operators) each.stage = stagecut::graph_operator::none;
  result.request.load.speeds.clear();
  result.request.load.memory_limit.reset();
  result.request.load.overlap = message_overlap::none;
  return result;
}

std::size_t stages_of(const oracle::load_case& each) { return each.request.devices + each.request.cpus; }

ticks cut_of(const operator_costs& costs, std::uint32_t set) {
  ticks sum = 0;
  for (std::size_t i = 0; i < costs.nets(); ++i) {
    std::size_t inside = 0;
    for (const auto pin : costs.pins(i)) inside += set >> pin & 1U;
    if (inside != 0 && inside != costs.pins(i).size()) sum += costs.weight_of(i).forward + costs.weight_of(i).backward;
  }
  return sum;
}

ticks work_of(const operator_costs& costs, std::uint32_t set) {
  ticks sum = 0;
  for (std::size_t e = 0; e < costs.size(); ++e) {
    if ((set >> e & 1U) != 0) sum += costs.of(e).forward + costs.of(e).backward;
  }
  return sum;
}

}  // namespace

TEST_CASE("a smallest cut is the cheapest set that holds an element, asked in any order and again") {
  for (std::uint64_t round = 0; round < 150; ++round) {
    const oracle::load_case each = plain_case(round, 10);
    const contraction parts(each.graph);
    const operator_costs costs(each.graph, parts, each.request.load, stages_of(each));
    cut_network network(
        costs, [&](std::size_t e) { return costs.of(e).forward + costs.of(e).backward; },
        [&](std::size_t i) { return costs.weight_of(i).forward + costs.weight_of(i).backward; });
    oracle::chance random(round);
    CAPTURE(round);
    for (std::size_t times = 2 * costs.size(); times > 0; --times) {
      const std::size_t e = random.below(costs.size());
      ticks least = std::numeric_limits<ticks>::max();
      for (std::uint32_t set = 0; set < 1U << costs.size(); ++set) {
        if ((set >> e & 1U) != 0) least = std::min(least, work_of(costs, set) + cut_of(costs, set));
      }
      REQUIRE(network.least(e) == least);
      std::uint32_t found = 0;
      for (std::size_t v = 0; v < costs.size(); ++v) found |= network.holds(v) ? 1U << v : 0;
      REQUIRE((found >> e & 1U) != 0);
      REQUIRE(work_of(costs, found) + cut_of(costs, found) == least);
    }
  }
}

TEST_CASE("the flow bound is the greatest of the least loads of sets that hold an element") {
  int above_heaviest = 0;
  for (std::uint64_t round = 0; round < 150; ++round) {
    const oracle::load_case each = plain_case(1000 + round, 10);
    const contraction parts(each.graph);
    const operator_costs costs(each.graph, parts, each.request.load, stages_of(each));
    ticks beside = costs.constant(0);
    for (std::size_t s = 1; s < each.request.load.constants.size(); ++s) beside = std::min(beside, costs.constant(s));
    const stage_counts counts{2, round % 2, true};
    ticks right = 0;
    ticks heaviest = 0;
    for (std::size_t e = 0; e < costs.size(); ++e) {
      ticks least = std::numeric_limits<ticks>::max();
      for (std::uint32_t set = 0; set < 1U << costs.size(); ++set) {
        if ((set >> e & 1U) != 0) least = std::min(least, work_of(costs, set) + cut_of(costs, set) + beside);
      }
      if (counts.cpus != 0 && costs.of(e).on_cpu) least = std::min(least, costs.of(e).cpu + beside);
      right = std::max(right, least);
      heaviest = std::max(heaviest, work_of(costs, 1U << e));
    }
    flow_bounds bounds(costs, counts);
    CAPTURE(round);
    REQUIRE(bounds.flow(0, {}) == right);
    REQUIRE(bounds.flow(right + 7, {}) == right + 7);
    above_heaviest += right > heaviest + beside ? 1 : 0;
  }
  CHECK(above_heaviest > 30);
}

TEST_CASE("no bound is above the least load, and covering often says more") {
  int better = 0;
  int met = 0;
  for (std::uint64_t round = 0; round < 500; ++round) {
    oracle::chance random(2000 + round);
    oracle::load_case each = oracle::random_case(random, 7, 4);
    for (auto& v : each.graph.operators) v.stage = stagecut::graph_operator::none;
    const auto best = oracle::least_load(each.graph, each.request);
    if (!best) continue;
    const contraction parts(each.graph);
    const operator_costs costs(each.graph, parts, each.request.load, stages_of(each));
    flow_bounds bounds(costs, {each.request.devices, each.request.cpus, each.request.at_most});
    const ticks flow = bounds.flow(0, {});
    const ticks cover = bounds.cover(flow, std::numeric_limits<ticks>::max() / 2, {});
    CAPTURE(round);
    REQUIRE(flow <= cover);
    REQUIRE(costs.seconds(cover) <= *best * (1 + 1e-12));
    better += cover > flow ? 1 : 0;
    met += costs.seconds(cover) >= *best * (1 - 1e-9) ? 1 : 0;
  }
  CHECK(better > 50);
  CHECK(met > 50);
}

TEST_CASE("bounds that are stopped still hold") {
  const oracle::load_case each = plain_case(3, 9);
  const contraction parts(each.graph);
  const operator_costs costs(each.graph, parts, each.request.load, stages_of(each));
  flow_bounds bounds(costs, {2, 0, true});
  const auto always = [] { return true; };
  CHECK(bounds.flow(5, always) == 5);
  CHECK(bounds.cover(5, 1000, always) == 5);
}
