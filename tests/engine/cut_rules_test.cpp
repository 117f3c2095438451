// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/cut_rules.hpp>

#include <stagecut/core/interval.hpp>
#include <stagecut/engine/model_rules.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/make_schedule.hpp>

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
      chains::each_cut(of.model.size(), of.request.schedule.stages(), [&](const points& cut) {
        if (engine::allowed_cut(of.request.schedule, bench.checked, cut)) {
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

TEST_CASE("what stages of a rank hold together at a moment") {
  const stagecut::schedule order =
      stagecut::make_schedule(stagecut::schedule_kind::interleaved, {.ranks = 2, .stages_per_rank = 2, .microbatches = 4});
  const std::vector<double> ones(6, 1);
  const chains::layers model(ones, ones, ones, {}, std::vector<double>(6, 0), {1, 2, 3, 4, 5, 6});
  const stagecut::detail::no_constraint any;
  const points cut{0, 1, 3, 4, 6};
  for (const double limit : {20.0, 40.0, 80.0}) {
    const engine::model_rules<chains::layers, stagecut::detail::no_constraint> rules(model, order, limit, any);
    const auto stages = engine::stages_of_ranks(order);
    for (std::size_t r = 0; r < 2; ++r) {
      bool fits = true;
      std::vector<stagecut::interval> parts;
      for (const std::size_t s : stages[r]) parts.push_back({cut[s], cut[s + 1]});
      REQUIRE(rules.moments(r) != nullptr);
      for (const auto& held : *rules.moments(r)) {
        double sum = 0;
        for (std::size_t j = 0; j < stages[r].size(); ++j) {
          sum += rules.stage_memory(stages[r][j], parts[j].first, parts[j].last, held[j]);
        }
        const double found = engine::memory_at(rules, stages[r], held, cut);
        CHECK(found == sum);
        CHECK(found > 0);
        fits = fits && found <= rules.memory_limit();
      }
      CHECK(rules.allows_rank(r, parts) == fits);
    }
  }
}
