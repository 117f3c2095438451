// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/detail/tempered_chains.hpp>

#include <doctest/doctest.h>
#include <stagecut/engine/cut_problem.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "../makespan/random_chains.hpp"

using chains::chain;
using oracle::dice;

TEST_CASE("cuts have all items, and their shares of the work where items are alike") {
  dice random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {12, 4, 8});
    const chain of = chains::random_chain(random, order, 14, {});
    chains::with_workbench(of, [&](auto& bench) {
      const auto all = stagecut::search::detail::tilted_cuts(bench.ticks, order);
      CHECK(all.size() == 9);
      for (const auto& each : all) {
        const std::vector<std::size_t> cut(each.begin(), each.end());
        REQUIRE(cut.size() == order.stages() + 1);
        CHECK(stagecut::engine::is_cut(cut, of.model.size()));
      }
    });
  }
  const auto order =
      stagecut::make_schedule(stagecut::schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 4});
  const std::vector<double> alike(800, 1);
  const stagecut::item_times model(alike, alike);
  const stagecut::engine::chain_ticks ticks(model, order, {});
  const auto cut = stagecut::search::detail::cut_by_shares(ticks, {1, 2, 3, 2});
  CHECK(cut == std::vector<std::uint32_t>{0, 100, 300, 600, 800});
  const auto all = stagecut::search::detail::tilted_cuts(ticks, order);
  CHECK(all[0] == std::vector<std::uint32_t>{0, 200, 400, 600, 800});
  CHECK(all[1] == std::vector<std::uint32_t>{0, 150, 300, 550, 800});  // second chunks have more
  CHECK(all[3][1] == 150);                                             // and here later stages
  CHECK(std::set<std::vector<std::uint32_t>>(all.begin(), all.end()).size() == 9);
}
