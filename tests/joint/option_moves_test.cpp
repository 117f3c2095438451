// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_moves.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::options;
using joint_tests::workbench;
using stagecut::detail::chosen_options;
using stagecut::detail::option_change;
using stagecut::detail::option_moves;
using stagecut::detail::random_bits;

namespace {

/// The plan after the change that was chosen.
chosen_options changed(chosen_options plan, const option_moves& moves) {
  for (const option_change& change : moves.changes()) plan.options[change.rank] = change.option;
  if (!moves.counts().empty()) plan.counts = moves.counts();
  return plan;
}

}  // namespace

TEST_CASE("plans stay plans: all layers once, options of what the ranks have, within the memory") {
  std::mt19937 dice(1);
  std::size_t made = 0;
  std::size_t moved = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3, 6, 600));
    const std::set<options> plans = joint_tests::all_plans(bench.graph, 600);
    if (plans.empty()) continue;
    options first = joint_tests::any_plan(dice, plans);
    chosen_options now{bench.problem.counts_of(first), first};
    option_moves moves(bench.problem);
    random_bits bits(static_cast<std::uint64_t>(round), 0, 0);
    bool sound = true;
    for (int step = 0; step < 100; ++step) {
      const chosen_options before = now;
      const bool is_one = moves.propose(now, bits);
      sound = sound && now.options == before.options && now.counts == before.counts;  // only told
      if (!is_one) continue;
      ++made;
      std::set<std::uint32_t> ranks;
      for (const option_change& change : moves.changes()) {
        sound = sound && ranks.insert(change.rank).second && change.option < bench.graph.ranks[change.rank].size();
        sound = sound && change.option != now.options[change.rank];
      }
      REQUIRE(sound);
      now = changed(now, moves);
      moved += now.counts == before.counts ? 0 : 1;
      sound = sound && now.counts == bench.problem.counts_of(now.options);
      sound = sound && plans.count(now.options) == 1;
    }
    CHECK(sound);
  }
  CHECK(made > 2000);
  CHECK(moved > 1000);
}

TEST_CASE("from any plan all others are met, where ranks have several stages and ways") {
  joint_tests::small_case drawn;
  drawn.model.types = {{"l", 2, 0, 0, 0, {{"none", 4, 0, 5}, {"full", 6, 0, 1}}}};
  drawn.model.layers.assign(7, 0);
  drawn.request.schedule = stagecut::sapp_interleaved(2, 2, 4, stagecut::sapp_memory::big);
  drawn.request.memory_limit = 48;
  const workbench bench(drawn);
  const std::set<options> plans = joint_tests::all_plans(bench.graph);
  REQUIRE(plans.size() > 20);
  option_moves moves(bench.problem);
  random_bits bits(1, 2, 3);
  chosen_options now{bench.problem.counts_of(*plans.begin()), *plans.begin()};
  std::set<options> met{now.options};
  for (int step = 0; step < 20'000; ++step) {
    if (moves.propose(now, bits)) now = changed(now, moves);
    met.insert(now.options);
  }
  CHECK(met == plans);
}
