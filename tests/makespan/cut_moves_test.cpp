// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/cut_moves.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "domain_chains.hpp"
#include "random_chains.hpp"

using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::detail::cut_moves;
using stagecut::detail::random_bits;

namespace {

/// Whether what a move says that it changed covers all that differs.
bool covers(const cut_moves::changed& stages, const points& before, const points& now) {
  const std::size_t count = now.size() - 1;
  for (int run = 0; run < 2; ++run) {
    if (stages.first[run] > stages.last[run] || stages.last[run] > count) return false;
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (before[s] == now[s] && before[s + 1] == now[s + 1]) continue;
    const bool said = (stages.first[0] <= s && s < stages.last[0]) || (stages.first[1] <= s && s < stages.last[1]);
    if (!said) return false;
  }
  return true;
}

/// The cuts that differ from one by one step of one point.
std::vector<points> neighbours(const points& cut) {
  std::vector<points> result;
  for (std::size_t i = 1; i + 1 < cut.size(); ++i) {
    for (const bool left : {true, false}) {
      points other = cut;
      other[i] = left ? cut[i] - 1 : cut[i] + 1;
      result.push_back(other);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a move ends at an allowed cut, tells what changed, and is undone if refused") {
  dice random(1);
  std::size_t taken = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {9, 4, 8});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 11, {});
    const auto all = chains::all_cuts(of);
    std::set<points> allowed;
    for (const auto& each : all) allowed.insert(each.second);
    if (allowed.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.order, bench.checked);
      points cut = all[random.below(all.size())].second;
      bool sound = true;
      for (std::uint64_t step = 0; step < 300; ++step) {
        const points before = cut;
        cut_moves::changed stages{};
        random_bits bits(5, static_cast<std::uint64_t>(round), step);
        const bool moved = moves(cut, bits, stages);
        ++(moved ? taken : refused);
        sound = sound && (moved ? allowed.count(cut) == 1 && covers(stages, before, cut) : cut == before);
      }
      CHECK(sound);
    });
  }
  CHECK(taken > 5000);
  CHECK(refused > 5000);
}

TEST_CASE("without memory, a move ends at a cut that would be allowed if there were room") {
  dice random(7);
  int beyond = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const auto order = chains::several_order(random, 8);
    chain of = chains::random_chain(random, order, 11, {true, true, true, true});
    const auto all = chains::all_cuts(of);
    if (all.empty() || !of.request.memory_per_device || order.stages() < 2) continue;
    chain roomy = of;
    roomy.request.memory_per_device.reset();
    std::set<points> allowed;
    for (const auto& each : chains::all_cuts(roomy)) allowed.insert(each.second);
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.order, bench.checked, true);
      points cut = all[0].second;
      bool sound = true;
      for (std::uint64_t step = 0; step < 300; ++step) {
        cut_moves::changed stages{};
        random_bits bits(8, static_cast<std::uint64_t>(round), step);
        (void)moves(cut, bits, stages);
        sound = sound && allowed.count(cut) == 1;
        beyond += stagecut::engine::allowed_cut(of.request.order, bench.checked, cut) ? 0 : 1;
      }
      CHECK(sound);
    });
  }
  CHECK(beyond > 200);
}

TEST_CASE("every neighbour is reached, and every allowed cut where points are free") {
  dice random(2);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {6, 3, 6});
    if (order.stages() < 2) continue;
    const chain of = chains::random_chain(random, order, 8, {true, true, round % 2 == 0, round % 2 == 0});
    const auto all = chains::all_cuts(of);
    if (all.empty()) continue;
    std::set<points> allowed;
    for (const auto& each : all) allowed.insert(each.second);
    chains::with_workbench(of, [&](auto& bench) {
      const cut_moves moves(of.request.order, bench.checked);
      cut_moves::changed stages{};
      const points start = all[random.below(all.size())].second;
      std::set<points> from_start;
      std::set<points> walked;
      points walker = start;
      for (std::uint64_t step = 0; step < 3000; ++step) {
        random_bits bits(6, 1, step);
        points cut = start;
        if (moves(cut, bits, stages)) from_start.insert(cut);
        if (moves(walker, bits, stages)) walked.insert(walker);
      }
      for (const points& each : neighbours(start)) CHECK(from_start.count(each) == allowed.count(each));
      if (round % 2 != 0 && allowed.size() > 1) CHECK(walked == allowed);
    });
  }
}

TEST_CASE("long runs go together, and a step is at most three items for each of two runs") {
  const std::size_t stages = 16;
  chain of{chains::layers(std::vector<double>(160, 1), std::vector<double>(160, 1), {}, {}), {}, {}, {}};
  of.request.order = stagecut::make_schedule(schedule_kind::gpipe, {.ranks = stages, .microbatches = 2});
  points start(stages + 1);
  for (std::size_t s = 0; s <= stages; ++s) start[s] = 10 * s;
  std::set<std::size_t> lengths;
  std::map<std::ptrdiff_t, std::size_t> steps;
  chains::with_workbench(of, [&](auto& bench) {
    const cut_moves moves(of.request.order, bench.checked);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      random_bits bits(7, 0, step);
      cut_moves::changed changed{};
      points cut = start;
      if (!moves(cut, bits, changed)) continue;
      CHECK(covers(changed, start, cut));
      std::size_t length = 0;
      for (std::size_t i = 1; i < stages; ++i) {
        const auto by = static_cast<std::ptrdiff_t>(cut[i]) - static_cast<std::ptrdiff_t>(start[i]);
        if (by != 0) ++length;
        ++steps[by];
      }
      if (changed.last[1] == 0) lengths.insert(length);
    }
  });
  CHECK(lengths.size() == stages - 1);
  CHECK(*lengths.begin() == 1);
  for (const std::ptrdiff_t by : {-6, -3, -2, -1, 1, 2, 3, 6}) CHECK(steps[by] > 0);
  CHECK(steps.begin()->first == -6);
  CHECK(steps.rbegin()->first == 6);
  CHECK(steps[1] > 3 * steps[2]);
}

TEST_CASE("another stage of the same rank often moves too, to either side") {
  const std::size_t ranks = 4;
  chain of{chains::layers(std::vector<double>(80, 1), std::vector<double>(80, 1), {}, {}), {}, {}, {}};
  of.request.order =
      stagecut::make_schedule(schedule_kind::interleaved, {.ranks = ranks, .chunks = 2, .microbatches = 4});
  points start(2 * ranks + 1);
  for (std::size_t s = 0; s < start.size(); ++s) start[s] = 10 * s;
  std::size_t of_two = 0;
  std::size_t of_a_rank = 0;
  std::set<std::pair<std::size_t, int>> ways;  // the first stage, and where the two go
  chains::with_workbench(of, [&](auto& bench) {
    const cut_moves moves(of.request.order, bench.checked);
    for (std::uint64_t step = 0; step < 20'000; ++step) {
      random_bits bits(8, 0, step);
      cut_moves::changed changed{};
      points cut = start;
      if (!moves(cut, bits, changed) || changed.last[1] == 0) continue;
      if (changed.last[0] - changed.first[0] != 2 || changed.last[1] - changed.first[1] != 2) continue;
      const std::size_t low = std::min(changed.first[0], changed.first[1]) + 1;
      const std::size_t high = std::max(changed.first[0], changed.first[1]) + 1;
      if (low == high) continue;
      ++of_two;
      if (high != low + ranks) continue;
      ++of_a_rank;
      ways.insert({low, (cut[low] < start[low] ? 1 : 0) + (cut[high] < start[high] ? 2 : 0)});
    }
  });
  CHECK(of_two > 500);
  CHECK(of_a_rank * 3 > of_two);  // a seventh of the pairs are of one rank
  CHECK(ways.size() == 4 * (ranks - 1));
}
