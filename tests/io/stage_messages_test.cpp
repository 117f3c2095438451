// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/stage_messages.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "graph_plans.hpp"

using stagecut::io::detail::communication_of;
using seconds = std::vector<double>;

TEST_CASE("an output counts once at each end, however many take it") {
  stagecut::plan made = diamond_plan();
  CHECK(communication_of(made) == seconds{0, 0});
  made.profile.machine.link = stagecut::link_speed{0, 10};
  CHECK(communication_of(made) == seconds{4, 4});  // a's 10 bytes and c's 30
  made.assignment = {0, 1, 1, 1};
  CHECK(communication_of(made) == seconds{1, 1});
  made.messages = {"link", {{0.5, 20}}};
  CHECK(communication_of(made) == seconds{1, 1});
  made.stages[1].on_cpu = true;
  CHECK(communication_of(made) == seconds{1, 0});
}

TEST_CASE("of several links, the one between two stages counts, else the slowest") {
  stagecut::plan made = diamond_plan();
  made.assignment = {0, 1, 2, 2};
  made.stages.resize(3);
  made.edges = {{0, 1, 1}, {1, 2, 1}};
  made.messages = {"link", {{0, 10}, {0, 2}}};
  // a: 1 second to stage 1, 5 to stage 2; b: 10 to stage 2.
  CHECK(communication_of(made) == seconds{5, 11, 15});
  stagecut::plan chain = worked_plan();
  for (auto& layer : chain.profile.layers) layer.output = 8;
  chain.messages = {"link", {{0, 8}, {0, 4}, {0, 2}}};
  CHECK(communication_of(chain) == seconds{1, 3, 6, 4});
}

TEST_CASE("on any graph it is the sum over the outputs that cross a boundary") {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    stagecut::plan made = random_graph_plan(random);
    made.profile.machine.link = stagecut::link_speed{0.25, 4};
    const auto stage_of = stage_of_layers(made);
    const auto found = communication_of(made);
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      double sum = 0;
      for (std::size_t u = 0; u < stage_of.size(); ++u) {
        bool crosses = false;
        for (const auto& [from, to] : made.profile.edges) {
          crosses = crosses || (from == u && (stage_of[u] == s) != (stage_of[to] == s));
        }
        if (crosses) sum += 0.25 + made.profile.layers[u].output / 4;
      }
      REQUIRE(found[s] == sum);
    }
  }
}
