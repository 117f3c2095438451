// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/stage_simulator.hpp>

#include <stagecut/graph/detail/load_pipeline.hpp>

#include <doctest/doctest.h>

#include "plain_pipeline.hpp"

#include <vector>

TEST_CASE("one simulator runs pipeline after pipeline, larger and smaller ones") {
  random_graphs random(16);
  for (const bool link : {false, true}) {
    stagecut::detail::stage_simulator simulator(5, link);
    CHECK(simulator.microbatches() == 5);
    for (int round = 0; round < 100; ++round) {
      const std::size_t k = 1 + random.up_to(5);
      stagecut::stage_pipeline of;
      for (std::size_t s = 0; s < k; ++s) {
        of.forward.push_back(random.number(9));
        of.backward.push_back(random.number(9));
        for (std::size_t to = s + 1; to < k; ++to) {
          if (random.up_to(1) == 0) continue;
          of.edges.push_back({s, to});
          of.send_forward.push_back(random.number(9));
          of.send_backward.push_back(random.number(9));
        }
      }
      stagecut::detail::load_pipeline(simulator, of);
      for (int tries = 0; tries < 3; ++tries) {
        std::vector<std::size_t> warm_up(k);
        for (std::size_t s = 0; s < k; ++s) {
          warm_up[s] = random.up_to(6);
          if (s > 0) warm_up[s] = std::min(warm_up[s], warm_up[s - 1]);
        }
        CHECK(simulator.run(warm_up.data()) == run_plainly(of, warm_up, 5, link).makespan);
      }
    }
  }
}
