// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/pair_bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../schedule/oracle.hpp"
#include "stage_chains.hpp"

using chains::chain;
using chains::next_pair_chain;
using chains::valued;
using oracle::dice;
using stagecut::detail::pair_bounds;
using stagecut::detail::rank_paths;
using stagecut::engine::layered_graph;
using stagecut::engine::stage_layout;
using stagecut::schedule_kind;

namespace {

/// The nodes of the steps of a cut.
std::vector<layered_graph::node> nodes_of(const stage_layout& layout, const chains::points& cut) {
  const auto at = [&cut](std::size_t s) { return static_cast<std::uint32_t>(cut[s]); };
  const bool vee = layout.kind == stage_layout::shape::vee;
  std::vector<layered_graph::node> result;
  for (std::uint32_t r = 0; r <= layout.ranks; ++r) {
    if (vee) {
      result.push_back({r, {0, at(r), at(2 * layout.ranks - r)}});
    } else {
      result.push_back({r + 1, {at(layout.ranks), at(r), at(layout.ranks + r)}});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("two stages a rank: no edge's bound is above the makespan of a cut that uses it") {
  const chains::tally found = chains::tally_of_bounds(1, next_pair_chain);
  CHECK(found.wrong == 0);
  CHECK(found.cuts > 10000);
}

TEST_CASE(
    "two stages a rank: a rank is not busy for longer than a cut takes, and what is left is never too much for it") {
  dice random(2);
  std::size_t cuts = 0;
  std::size_t tight = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const chain of = next_pair_chain(random, 10);
    const std::vector<valued> all = chains::all_cuts(of);
    chains::with_workbench(of, [&](auto& bench) {
      const pair_bounds bounds(bench.ticks, of.request.schedule, bench.layout);
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const double ticks = makespan / bench.ticks.tick;
        const auto nodes = nodes_of(bench.layout, cut);
        for (std::size_t r = 0; r + 1 < nodes.size(); ++r) {
          const std::size_t behind = bench.layout.ranks - 1 - r;
          sound = sound && bounds.busy(nodes[r], nodes[r + 1]) <= ticks;
          sound = sound && (behind == 0 || !bounds.rest_is_too_much(nodes[r + 1], behind, ticks));
          if (behind != 0 && bounds.rest_is_too_much(nodes[r + 1], behind, ticks / 2)) ++tight;
        }
      }
      CHECK(sound);
    });
    cuts += all.size();
  }
  CHECK(cuts > 3000);
  CHECK(tight > 1000);
}

TEST_CASE("two stages a rank: what is learned excludes what is above, and nothing else") {
  dice random(3);
  std::size_t learned = 0;
  std::size_t by_others = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = next_pair_chain(random, 10);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      pair_bounds bounds(bench.ticks, of.request.schedule, bench.layout);
      const double most = all[random.below(all.size())].first / bench.ticks.tick * (random.once_in(2) ? 1 : 0.7);
      bool sound = true;
      for (const auto& [makespan, cut] : all) {
        const auto nodes = nodes_of(bench.layout, cut);
        for (std::size_t r = 0; r + 1 < nodes.size(); ++r) {
          const bool is = bounds(nodes[r], nodes[r + 1]) > most;
          const bool known = bounds.above(nodes[r], nodes[r + 1], most);
          sound = sound && (is || !known);
          if (known) ++by_others;
          if (known) continue;
          sound = sound && bounds.learn(nodes[r], nodes[r + 1], most) == is;
          sound = sound && bounds.above(nodes[r], nodes[r + 1], most) == is;
          if (is) ++learned;
        }
      }
      CHECK(sound);
    });
  }
  CHECK(learned > 100);
  CHECK(by_others > 1000);
}

// The listed values were computed by another program.
TEST_CASE("the least bounds of a listed chain by single ranks") {
  CHECK(chains::listed_bound(schedule_kind::interleaved, 0, 2, 2) == 771);
  CHECK(chains::listed_bound(schedule_kind::interleaved, 2, 2, 2) == 779);
  CHECK(chains::listed_bound(schedule_kind::zbv, 0, 2, 2) == 739);
  CHECK(chains::listed_bound(schedule_kind::zbv, 2, 2, 2) == 741);
  CHECK(chains::listed_bound(schedule_kind::zbv, 0, 3, 2) == 523);
  CHECK(chains::listed_bound(schedule_kind::zbv, 2, 3, 2) == 533);
}

TEST_CASE("some path is longer than a limit if the longest is, of those put last") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    rank_paths paths;
    std::vector<double> lengths;
    rank_paths::list times;
    for (double& time : times) time = static_cast<double>(random.below(50));
    CHECK_FALSE(paths.above(times, 0));
    const std::size_t put = random.from(1, 2 * rank_paths::most);
    for (std::size_t i = 0; i < put; ++i) {
      rank_paths::list counts;
      double length = 0;
      for (std::size_t f = 0; f < rank_paths::figures; ++f) {
        counts[f] = static_cast<double>(random.below(9));
        length += counts[f] * times[f];
      }
      paths.put(counts);
      lengths.push_back(length);
    }
    double longest = 0;
    const std::size_t forgotten = put > rank_paths::most ? put - rank_paths::most : 0;
    for (std::size_t i = forgotten; i < put; ++i) longest = std::max(longest, lengths[i]);
    CHECK(paths.above(times, longest - 1));
    CHECK_FALSE(paths.above(times, longest));
  }
}
