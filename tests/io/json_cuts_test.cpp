// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_cuts.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace detail = stagecut::io::detail;

TEST_CASE("edges and choices are read as they are written") {
  const std::vector<stagecut::planned_edge> edges = {{0, 1, 2.5}, {0, 2, 0}};
  const detail::json edges_text = detail::stage_edges_json(edges);
  CHECK(edges_text.dump() == R"([{"from":0,"to":1,"bytes":2.5},{"from":0,"to":2,"bytes":0}])");
  CHECK(detail::read_stage_edges(detail::json_value(edges_text, "x")) == edges);
  const std::vector<stagecut::layer_choice> choices = {{"full", "row"}, {}, {"", "column"}};
  const detail::json choices_text = detail::choices_json(choices);
  CHECK(choices_text.dump() == R"([{"recomputation":"full","sharding":"row"},{},{"sharding":"column"}])");
  CHECK(detail::read_choices(detail::json_value(choices_text, "x")) == choices);
}

TEST_CASE("cuts and assignments are read") {
  const detail::json points = {0, 2, 3};
  CHECK(detail::read_cuts(detail::json_value(points, "x"), 1) == stagecut::cuts{0, 2, 3});
  const detail::json empty = {0, 2, 2, 3};
  CHECK(detail::read_cuts(detail::json_value(empty, "x"), 3).stage(1).empty());
  const detail::json stages = {1, 0, 1};
  CHECK(detail::read_assignment(detail::json_value(stages, "x")) == std::vector<std::size_t>{1, 0, 1});
}
