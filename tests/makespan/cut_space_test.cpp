// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/parts/cut_space.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using chains::valued;
using oracle::dice;
using stagecut::schedule_kind;
using stagecut::view;
using stagecut::detail::cut_search;
using stagecut::detail::cut_space;

TEST_CASE("a space holds all cuts up to its makespan, also after it has shrunk") {
  dice random(11);
  std::size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    chains::with_workbench(of, [&](auto& bench) {
      cut_space space(bench.ticks, of.request.schedule, of.request.transfers, bench.layout, bench.checked, bench.simulate,
                      bench.clock);
      CHECK_FALSE(space.holds(0));
      const double most = all.back().first / bench.ticks.tick;
      REQUIRE(space.build(most));
      CHECK(space.holds(most));
      CHECK_FALSE(space.holds(most + 1));
      const auto count = [&](double limit) {
        std::size_t cuts = 0;
        const auto visit = [&](view<const std::size_t>, double) { return ++cuts, limit; };
        auto graph = space.within(limit);
        CHECK(space.search()(graph, limit, ~std::size_t{0} / 2, true, visit) == cut_search::result::none);
        return cuts;
      };
      const auto expected = [&](double limit) {
        std::size_t cuts = 0;
        for (const valued& each : all) cuts += each.first / bench.ticks.tick <= limit ? 1 : 0;
        return cuts;
      };
      CHECK(count(most) == all.size());
      const double middle = all[all.size() / 2].first / bench.ticks.tick;
      CHECK(count(middle) == expected(middle));
      space.shrink(middle);
      CHECK(space.holds(middle));
      CHECK(space.holds(most) == (middle == most));
      CHECK(count(middle) == expected(middle));
      space.shrink(most);  // does not make it larger
      CHECK(space.holds(most) == (middle == most));
      found += all.size();
    });
  }
  CHECK(found > 2000);
}

TEST_CASE("without time there is no space") {
  dice random(12);
  chain of = chains::random_chain(random, chains::random_order(random, schedule_kind::interleaved, {9, 4, 8}), 9, {});
  of.request.search.time_limit = 0;
  chains::with_workbench(of, [&](auto& bench) {
    cut_space space(bench.ticks, of.request.schedule, of.request.transfers, bench.layout, bench.checked, bench.simulate,
                    bench.clock);
    CHECK_FALSE(space.build(stagecut::engine::no_ticks));
    CHECK_FALSE(space.holds(0));
  });
}
