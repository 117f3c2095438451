// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/cut_rules.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::engine::allowed_cut;

TEST_CASE("which cuts are allowed") {
  dice random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {9, 4, 8}), 9, {});
    std::vector<points> expected;
    for (const valued& each : chains::all_cuts(of)) expected.push_back(each.second);
    std::sort(expected.begin(), expected.end());
    std::vector<points> found;
    chains::with_workbench(of, [&](auto& bench) {
      chains::each_cut(of.model.size(), of.request.order.stages(), [&](const points& cut) {
        if (engine::allowed_cut(of.request.order, bench.checked, cut)) {
          found.push_back(cut);
        } else {
          ++refused;
        }
      });
    });
    CHECK(found == expected);
  }
  CHECK(refused > 300);
}
