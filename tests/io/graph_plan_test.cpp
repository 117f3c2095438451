// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/graph_plan.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../refusal.hpp"
#include "graph_plans.hpp"

namespace detail = stagecut::io::detail;
using texts = std::vector<std::string>;

TEST_CASE("a plan is refused with the first of its parts that do not belong together") {
  const auto refused = [](const stagecut::plan& made) {
    return refusal<stagecut::argument_error>([&] { return detail::check_graph_plan("f", made), 0; });
  };
  stagecut::plan made = diamond_plan();
  CHECK(refused(made) == "not refused");
  made.stages[1].device = 2;
  CHECK(refused(made) == "stagecut::io::f: plan#/stages/1/device = 2, is not below the number of devices, 2");
  made = diamond_plan();
  made.profile.edges.push_back({0, 1});
  CHECK(refused(made) == "stagecut::io::f: plan#/profile/edges/4 = [0, 1], stands twice");
}

TEST_CASE("what feeds what, and names that tell layers apart") {
  stagecut::profile model = diamond_plan().profile;
  CHECK(detail::all_edges(model) == model.edges);
  CHECK(detail::unique_names(model) == texts{"a", "b", "c", "d"});
  model.edges.clear();
  CHECK(detail::all_edges(model) == std::vector<stagecut::profile_edge>{{0, 1}, {1, 2}, {2, 3}});
  CHECK(detail::all_edges({}).empty());
  model.layers[2].name = "a";
  CHECK(detail::unique_names(model) == texts{"0", "1", "2", "3"});
}

TEST_CASE("numbers are as short as they can be, colours those of neighbours not") {
  CHECK(detail::shortest_text(0.1) == "0.1");
  CHECK(detail::shortest_text(1e-7) == "1e-07");
  for (std::size_t s = 0; s < 30; ++s) CHECK(detail::stage_colour(s) != detail::stage_colour(s + 1));
}
