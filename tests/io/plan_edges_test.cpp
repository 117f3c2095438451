// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/plan_edges.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "random_plans.hpp"

namespace {

/// The first mistake in edges and choices of a plan.
std::string mistake(const stagecut::plan& made) {
  namespace detail = stagecut::io::detail;
  detail::plan_fault fault = detail::edges_fault(made);
  if (!fault) fault = detail::choices_fault(made);
  return fault ? stagecut::detail::joined({fault.pointer, " ", fault.what, " ", fault.problem}) : "";
}

/// Four layers, each a stage: the first feeds two and these the last.
stagecut::plan diamond() {
  stagecut::plan made;
  made.profile.layers.resize(4);
  made.profile.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  made.cuts = {0, 1, 2, 3, 4};
  made.stages.resize(4);
  made.edges = {{0, 1, 8}, {0, 2, 8}, {1, 3, 4}, {2, 3, 4}};
  return made;
}

}  // namespace

TEST_CASE("what a layer needs comes along edges, or from stage to stage") {
  stagecut::plan made = diamond();
  CHECK(mistake(made).empty());
  made.edges.erase(made.edges.begin() + 1);
  CHECK(mistake(made) ==
        "/edges 3 edges do not agree with the layers: layer 2 on stage 2 needs layer 0 on stage 0, from which no way "
        "leads there");
  made.edges = {{0, 1, 8}, {1, 2, 8}, {2, 3, 8}};  // the second stage hands on
  CHECK(mistake(made).empty());
  made.profile.edges.clear();  // a chain
  CHECK(mistake(made).empty());
  made.edges.pop_back();
  CHECK(mistake(made).starts_with("/edges 2 edges do not agree with the layers: layer 3 on stage 3 needs layer 2"));
  made.profile.edges = {{9, 1}, {0, 9}};  // which the profile's own check tells
  CHECK(mistake(made).empty());
}

TEST_CASE("links are as many as edges") {
  stagecut::plan made = diamond();
  made.messages = {"link", {{1, 1}, {1, 1}, {1, 1}}};
  CHECK(mistake(made) == "/messages/links 3 links are neither 1 nor the number of edges between stages, 4");
  made.messages.links.push_back({1, 1});
  CHECK(mistake(made).empty());
}

TEST_CASE("needs are met as a search from every stage says") {
  std::mt19937 random(7);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  std::size_t met = 0;
  for (int round = 0; round < 2000; ++round) {
    stagecut::plan made;
    const std::size_t stages = 2 + up_to(4);
    made.stages.resize(stages);
    for (std::size_t s = 0; s < stages; ++s) made.assignment.push_back(s);
    for (std::size_t i = up_to(3); i-- > 0;) made.assignment.push_back(up_to(stages - 1));
    made.profile.layers.resize(made.assignment.size());
    for (std::size_t i = 1 + up_to(3); i-- > 0;) {
      const std::size_t from = up_to(made.assignment.size() - 1);
      made.profile.edges.push_back({from, up_to(made.assignment.size() - 1)});
    }
    std::vector<std::vector<bool>> leads(stages, std::vector<bool>(stages));
    for (std::size_t from = 0; from < stages; ++from) {
      leads[from][from] = true;
      for (std::size_t to = from + 1; to < stages; ++to) {
        if (up_to(1) == 0) made.edges.push_back({from, to, 1}), leads[from][to] = true;
      }
    }
    if (made.edges.empty()) continue;
    for (std::size_t by = 0; by < stages; ++by) {
      for (std::size_t a = 0; a < stages; ++a) {
        for (std::size_t b = 0; b < stages; ++b) {
          if (leads[a][by] && leads[by][b]) leads[a][b] = true;
        }
      }
    }
    bool all = true;
    for (const auto& edge : made.profile.edges) {
      all = all && leads[made.assignment[edge.from]][made.assignment[edge.to]];
    }
    REQUIRE(!stagecut::io::detail::needs_fault(made) == all);
    met += all ? 1 : 0;
  }
  CHECK(met > 200);
}

TEST_CASE("chosen variants are there, and of the devices of their stage") {
  stagecut::plan made = full_plan();
  CHECK(mistake(made).empty());
  made.stages[0].tensor_parallel = 1;
  CHECK(mistake(made) ==
        "/choices/0/recomputation \"full\" is of 2 devices, not the tensor-parallel degree of its stage, 1");
  made.profile.layers[0].recomputations[0].tensor_parallel = 1;
  CHECK(mistake(made) == "/choices/0/sharding \"full\" is of 2 devices, not the tensor-parallel degree of its stage, 1");
  made.choices[0] = {"", "row"};
  CHECK(mistake(made) == "/choices/0/sharding \"row\" does not agree with the layer, which has no such variant");
}
