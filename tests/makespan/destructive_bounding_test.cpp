// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/destructive_bounding.hpp>

#include <stagecut/engine/whole_ticks.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::detail::cut_space;
using stagecut::detail::destructive_bounding;
using stagecut::engine::incumbent;

namespace {

constexpr std::size_t no_limit = ~std::size_t{0} / 2;

/// Calls `use(bench, space, best, attempts)` for random chains that have cuts, with all of these. The space holds them.
/// Returns for how many.
template <class Use>
std::size_t each_chain(unsigned seed, int rounds, const Use& use) {
  dice random(seed);
  std::size_t used = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    ++used;
    chains::with_workbench(of, [&](auto& bench) {
      cut_space space(bench.ticks, of.request.schedule, of.request.transfers, bench.layout, bench.checked, bench.simulate,
                      bench.clock);
      incumbent best(bench.clock, bench.ticks.tick);
      destructive_bounding attempts(bench.ticks, of.request, bench.layout, bench.checked, bench.simulate, space, bench.clock,
                              best);
      REQUIRE(space.build(all.back().first / bench.ticks.tick));
      use(all, bench, space, best, attempts);
    });
  }
  return used;
}

}  // namespace

TEST_CASE("the cut of the least bound is an allowed one, with its makespan, and no worse one is taken") {
  std::size_t taken = 0;
  std::size_t optimal = 0;
  const std::size_t used =
      each_chain(1, 300, [&](const auto& all, auto& bench, auto& space, auto& best, auto& attempts) {
        attempts.take_bound_cut(space.graph());
        if (best.any()) {
          ++taken;
          std::map<points, double> makespans;
          for (const auto& [makespan, cut] : all) makespans[cut] = makespan;
          CHECK(makespans.count(best.points()) == 1);
          CHECK(makespans[best.points()] == best.makespan() * bench.ticks.tick);
          CHECK(best.makespan() >= space.graph().least_bound());
          optimal += makespans[best.points()] == all[0].first ? 1 : 0;
        }
        best.offer(all[0].second, all[0].first / bench.ticks.tick);
        attempts.take_bound_cut(space.graph());
        CHECK(best.makespan() * bench.ticks.tick == all[0].first);
        CHECK(best.bound() == 0);  // nothing was proved
      });
  CHECK(used > 250);
  CHECK(taken == used);
  CHECK(optimal > used * 4 / 5);
}

TEST_CASE("an attempt proves that there is no cut of so little, or finds the best") {
  std::size_t none = 0;
  std::size_t some = 0;
  const std::size_t used = each_chain(2, 300, [&](const auto& all, auto& bench, auto&, auto& best, auto& attempts) {
    const double tick = bench.ticks.tick;
    const double least = all[0].first / tick;
    const auto& [worst, last] = all.back();
    best.offer(last, worst / tick);
    if (least > 0) {
      for (const double most : {stagecut::engine::whole_ticks(least / 2), least - 1}) {
        attempts.attempt(most, no_limit);
        CHECK(best.bound() == most + 1);
        CHECK(best.makespan() == worst / tick);
        CHECK(best.points() == last);
        ++none;
      }
    }
    const double middle = all[all.size() / 2].first / tick;
    const bool known = middle == best.makespan();
    attempts.attempt(middle, no_limit);
    CHECK(best.makespan() == least);
    CHECK(best.proved());
    some += known ? 0 : 1;
  });
  CHECK(none > used);
  CHECK(some > used / 4);
}

TEST_CASE("an attempt above the best proves no more than that, and one that is cut short proves nothing") {
  std::size_t short_of = 0;
  each_chain(3, 200, [&](const auto& all, auto& bench, auto&, auto& best, auto& attempts) {
    const double tick = bench.ticks.tick;
    const double least = all[0].first / tick;
    best.offer(all.back().second, all.back().first / tick);
    attempts.attempt(least, 0);
    CHECK(best.bound() <= least);
    CHECK(best.makespan() >= least);
    short_of += best.proved() ? 0 : 1;
    attempts.attempt(all.back().first / tick, no_limit);
    CHECK(best.bound() == least);
    CHECK(best.makespan() == least);
  });
  CHECK(short_of > 20);
}

TEST_CASE("nothing is done when the clock says stop") {
  each_chain(4, 40, [&](const auto& all, auto& bench, auto&, auto& best, auto& attempts) {
    best.offer(all.back().second, all.back().first / bench.ticks.tick);
    bench.clock.pause_after(0);
    attempts.attempt(all[0].first / bench.ticks.tick - 1, no_limit);
    CHECK(best.bound() == 0);
    CHECK(best.points() == all.back().second);
  });
}
