// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/as_inference.hpp>

#include <doctest/doctest.h>

using stagecut::as_inference;
using stagecut::layer;
using stagecut::profile;

TEST_CASE("in inference nothing goes back, and nothing stays for it") {
  profile model;
  model.name = "m";
  model.weights_only = true;
  layer one;
  one.name = "l";
  one.forward = 1;
  one.backward = 2;
  one.backward_input = one.backward_weight = 1;
  one.parameters = 10;
  one.resident = 80;
  one.activations = 3;
  one.output = 4;
  one.workspace = 5;
  one.recomputation = "full";
  one.recomputations = {{.name = "none", .forward = 1, .backward = 3}};
  one.shardings = {{.name = "row", .tensor_parallel = 2, .forward = 0.5, .backward = 1, .backward_weight = 0.5, .resident = 40}};
  one.tied = {{.name = "embedding", .bytes = 6, .resident = 48}};
  model.layers = {one, one};
  const profile found = as_inference(model);
  layer expected = one;
  expected.backward = 0;
  expected.backward_input.reset();
  expected.backward_weight.reset();
  expected.resident.reset();
  expected.recomputation = {};
  expected.recomputations = {};
  expected.shardings = {{.name = "row", .tensor_parallel = 2, .forward = 0.5}};
  expected.tied = {{.name = "embedding", .bytes = 6}};
  CHECK(found.inference);
  CHECK(found.name == "m");
  CHECK(found.weights_only);
  REQUIRE(found.layers.size() == 2);
  CHECK(found.layers[0] == expected);
  CHECK(found.layers[1] == expected);
  CHECK(model.layers[0] == one);
}

TEST_CASE("what is of inference stays as it is") {
  profile model;
  model.layers.resize(1);
  model.layers[0].parameters = 10;
  model.layers[0].resident = 10;
  model.inference = true;
  CHECK(as_inference(model) == model);
}
