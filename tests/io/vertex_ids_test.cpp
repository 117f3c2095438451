// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/graphs/vertex_ids.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stagecut::io::vertex_ids;
using ids = std::vector<std::string>;

TEST_CASE("vertices are called by the ids of their file, else by names, else by numbers") {
  stagecut::profile model;
  model.layers.resize(3);
  for (const char* name : {"a", "b", "c"}) model.layers[static_cast<std::size_t>(*name - 'a')].name = name;
  CHECK(vertex_ids(model) == ids{"a", "b", "c"});
  model.layers[0].unknown_fields = R"({"id": 7, "x": [1]})";
  model.layers[1].unknown_fields = R"({"id": "x y"})";
  CHECK(vertex_ids(model) == ids{"a", "b", "c"});
  model.layers[2].unknown_fields = R"({"z": 0, "id": -3})";
  CHECK(vertex_ids(model) == ids{"7", "x y", "-3"});
  for (const char* other : {R"({"id": "7"})", R"({"id": 7.5})", R"({"id": null})", "{}", "[]", "no JSON", ""}) {
    model.layers[2].unknown_fields = other;
    CHECK(vertex_ids(model) == ids{"a", "b", "c"});
  }
  model.layers[2].name = "a";
  CHECK(vertex_ids(model) == ids{"0", "1", "2"});
  model.layers[2].name = "";
  CHECK(vertex_ids(model) == ids{"0", "1", "2"});
  CHECK(vertex_ids({}).empty());
}
