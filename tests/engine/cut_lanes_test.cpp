// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/cut_lanes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <vector>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::engine::cut_lanes;
using stagecut::engine::stage_durations;

namespace {

/// Any cut of n items.
points random_cut(dice& random, std::size_t n, std::size_t stages) {
  std::set<std::size_t> inner;
  while (inner.size() + 1 < stages) inner.insert(random.from(1, n - 1));
  points cut{0};
  cut.insert(cut.end(), inner.begin(), inner.end());
  cut.push_back(n);
  return cut;
}

/// Sets the stages that differ, run by run.
void set_changed(engine::cut_lanes& lanes, std::size_t lane, const points& before, const points& now) {
  const auto differs = [&](std::size_t s) { return before[s] != now[s] || before[s + 1] != now[s + 1]; };
  for (std::size_t s = 0; s + 1 < now.size(); ++s) {
    if (!differs(s)) continue;
    std::size_t last = s + 1;
    while (last + 1 < now.size() && differs(last)) ++last;
    lanes.set(lane, now, s, last);
    s = last;
  }
}

/// Some of a cut's points moved by one, where there is room.
points nudged(dice& random, points cut) {
  for (std::size_t i = 1; i + 1 < cut.size(); ++i) {
    if (!random.once_in(3)) continue;
    const bool left = random.once_in(2);
    if (left && cut[i] - 1 > cut[i - 1]) --cut[i];
    if (!left && cut[i] + 1 < cut[i + 1]) ++cut[i];
  }
  return cut;
}

constexpr std::size_t all = 6 * engine::cut_lanes::width;  // makespans of `follow`

/// All lanes follow cuts of their own that change a little at a time. Returns how many makespans were right.
std::size_t follow(dice& random, const chain& of) {
  std::size_t right = 0;
  chains::with_workbench(of, [&](auto& bench) {
    const stagecut::slot_program program(bench.simulate.graph());
    const engine::stage_durations durations(bench.ticks, bench.simulate.graph(), program);
    engine::cut_lanes lanes(bench.ticks, program, durations);
    const std::size_t stages = bench.ticks.stages;
    std::vector<points> cuts(engine::cut_lanes::width);
    for (std::size_t lane = 0; lane < cuts.size(); ++lane) {
      cuts[lane] = random_cut(random, bench.ticks.items, stages);
      lanes.set(lane, cuts[lane], 0, stages);
    }
    for (int turn = 0; turn < 6; ++turn) {
      const auto makespans = lanes.makespans();
      CHECK(makespans.size() == cuts.size());
      for (std::size_t lane = 0; lane < cuts.size(); ++lane) {
        if (makespans[lane] == bench.simulate(cuts[lane])) ++right;
      }
      for (std::size_t lane = 0; lane < cuts.size(); ++lane) {
        const points next = turn == 3 ? random_cut(random, bench.ticks.items, stages) : nudged(random, cuts[lane]);
        set_changed(lanes, lane, cuts[lane], next);
        cuts[lane] = next;
      }
    }
  });
  return right;
}

}  // namespace

TEST_CASE("eight cuts at once are simulated as one after the other, though only what changed is set") {
  dice random(1);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const auto& entry = stagecut::schedules[static_cast<std::size_t>(round) % stagecut::schedules_made_by_shape];
    const schedule order = chains::random_order(random, entry.kind, {12, 4, 8});
    CHECK(follow(random, chains::random_chain(random, order, 16, {true, true, false, false})) == all);
  }
}

TEST_CASE("and under any order, with messages in the lists and passes that overlap") {
  dice random(2);
  for (int round = 0; round < 300;) {
    CAPTURE(round);
    const auto written = static_cast<oracle::written_transfers>(random.below(2));
    const schedule order = oracle::random_schedule(random, written, true);
    if (order.stages() > 12) continue;
    CHECK(follow(random, chains::random_chain(random, order, 16, {true, true, false, false})) == all);
    ++round;
  }
}

TEST_CASE("and of rough times that are rounded") {
  dice random(3);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const schedule order = chains::random_order(random, chains::any_kind(random), {10, 4, 6});
    CHECK(follow(random, chains::rough_chain(random, order, 14)) == all);
  }
}

TEST_CASE("which durations a stage is part of, and of what they are sums") {
  dice random(4);
  std::size_t sums = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = round % 4 == 0 ? schedule_kind::dualpipev : chains::any_kind(random);
    const schedule order = chains::random_order(random, kind, {10, 4, 10});
    const chain of = chains::random_chain(random, order, 12, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const stagecut::slot_program program(bench.simulate.graph());
      const engine::stage_durations durations(bench.ticks, bench.simulate.graph(), program);
      CHECK(durations.terms(0).size() == 0);
      std::vector<std::set<std::size_t>> stages_of(program.durations().size());
      for (std::size_t d = 1; d < stages_of.size(); ++d) {
        CHECK(durations.terms(d).size() > 0);
        for (const auto& term : durations.terms(d)) stages_of[d].insert(term.stage);
        sums += durations.terms(d).size() > 1 ? 1 : 0;
      }
      std::vector<std::set<std::size_t>> found(stages_of.size());
      for (std::size_t s = 0; s < bench.ticks.stages; ++s) {
        for (const std::size_t d : durations.of_stage(s)) found[d].insert(s);
      }
      CHECK(found == stages_of);
    });
  }
  CHECK(sums > 100);
}
