// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_disjunction.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "reference_program.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::disjunction;
using stagecut::detail::disjunction_choice;
using stagecut::detail::option_graph;
using stagecut::detail::option_paths;
using stagecut::detail::option_program;
using stagecut::detail::rank_options;
using stagecut::detail::side_of;
using stagecut::engine::critical_path_pool;
using live_options = option_paths::live_options;

namespace {

/// The parts: none of the undecided ranks above the limit, or the first one that is.
std::vector<live_options> parts_of(const option_graph& graph, const live_options& live, const disjunction& by) {
  std::vector<live_options> parts;
  live_options below = live;
  for (std::size_t r = 0; r < graph.ranks.size(); ++r) {
    const rank_options& rank = graph.ranks[r];
    if (side_of(rank, live[r], by) != 0) continue;
    live_options above = below;
    for (std::size_t o = 0; o < rank.size(); ++o) {
      (rank.times(by.slot)[o] > by.limit ? below : above)[r][o] = 0;
    }
    parts.push_back(above);
  }
  parts.push_back(below);
  return parts;
}

}  // namespace

TEST_CASE("the mix keeps to neither side, each part has fewer options, and every plan is in one of them") {
  std::mt19937 dice(1);
  std::size_t split = 0;
  std::size_t pure = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 2, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 600);
    if (plans.empty()) continue;
    const critical_path_pool paths = joint_tests::drawn_paths(dice, bench, plans, 10);
    live_options live = option_paths::all_live(bench.graph);
    const options& plan = joint_tests::any_plan(dice, plans);
    if (dice() % 2 == 0) joint_tests::give_up(dice, plan, live);
    option_program program(bench.problem, paths, bench.makespan(plan));
    program.begin(live, plan, 0);
    for (std::uint32_t k = 1; k < paths.size(); ++k) program.add_row(k);
    program.solve(1000);

    const disjunction by = disjunction_choice(bench.graph, live, program).best();
    bool one_each = true;
    std::vector<std::size_t> shares(live.size());
    program.each_share([&](std::size_t r, std::size_t, double) { ++shares[r]; });
    for (const std::size_t share : shares) one_each = one_each && share == 1;
    if (one_each) {
      ++pure;
      CHECK(by.score < 1e-6);  // a plan: each rank has its mean
    }
    if (by.score <= 1e-6) continue;
    ++split;
    CHECK_FALSE(one_each);
    std::vector<double> mean(live.size());
    program.each_share([&](std::size_t r, std::size_t o, double share) {
      if (by.slot < bench.graph.ranks[r].width()) mean[r] += share * bench.graph.ranks[r].times(by.slot)[o];
    });
    bool undecided = false;
    for (std::size_t r = 0; r < live.size(); ++r) {
      undecided = undecided || (side_of(bench.graph.ranks[r], live[r], by) == 0 && mean[r] > by.limit);
    }
    CHECK(undecided);
    const std::vector<live_options> parts = parts_of(bench.graph, live, by);
    CHECK(parts.size() > 1);
    for (const live_options& part : parts) CHECK(part != live);
    bool once = true;
    for (const options& each : plans) {
      std::size_t in = 0;
      for (const live_options& part : parts) in += joint_tests::is_live(part, each) ? 1 : 0;
      once = once && in == (joint_tests::is_live(live, each) ? 1 : 0);
    }
    CHECK(once);
    // Below the limit some share of the mix was given up.
    bool whole = true;
    program.each_share([&](std::size_t r, std::size_t o, double) { whole = whole && parts.back()[r][o] != 0; });
    CHECK_FALSE(whole);
  }
  CHECK(split > 50);
  CHECK(pure > 10);
}

TEST_CASE("sides of a limit") {
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  const workbench bench(drawn);
  const rank_options& rank = bench.graph.ranks[0];
  REQUIRE(rank.size() == 4);  // 1 to 4 layers
  CHECK(side_of(rank, {1, 1, 1, 1}, {0, 2, 0}) == 0);
  CHECK(side_of(rank, {1, 1, 0, 0}, {0, 2, 0}) == -1);  // as many as the limit: below
  CHECK(side_of(rank, {0, 0, 1, 1}, {0, 2, 0}) == 1);
  CHECK(side_of(rank, {1, 1, 1, 1}, {1, 7, 0}) == 0);
  CHECK(side_of(rank, {1, 1, 1, 1}, {1, 8, 0}) == -1);
  CHECK(side_of(rank, {0, 0, 0, 0}, {0, 2, 0}) == -1);
  CHECK(side_of(rank, {1, 1, 1, 1}, {2, 0, 0}) == -1);  // it has no such duration
}
