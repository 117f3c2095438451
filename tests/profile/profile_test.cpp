// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/profile.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("the times of a profile are those of both passes") {
  const stagecut::profile model{{{"a", "x", 1, 2, 0, 0, 0}, {"b", "x", 0.5, 0, 8, 4, 2}}};
  CHECK(model.times() == std::vector<double>{3, 0.5});
  CHECK(stagecut::profile().times().empty());
}

TEST_CASE("edges make another profile") {
  stagecut::profile model{{{"a"}, {"b"}}};
  const stagecut::profile chain = model;
  model.edges = {{0, 1}};
  CHECK(model != chain);
  CHECK(model.edges[0] == stagecut::profile_edge{0, 1});
  CHECK(model.edges[0] != stagecut::profile_edge{1, 0});
}

TEST_CASE("a profile splits backward passes if every layer does") {
  stagecut::profile model;
  model.layers.resize(2);
  CHECK_FALSE(model.splits_backward());
  model.layers[0].backward_weight = 0;
  CHECK_FALSE(model.splits_backward());
  model.layers[1].backward_weight = 1;
  CHECK(model.splits_backward());
}
