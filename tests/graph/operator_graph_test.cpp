// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_graph.hpp>

#include <doctest/doctest.h>

#include <vector>

using stagecut::graph_operator;

TEST_CASE("an operator of which nothing is said runs on an accelerator, on any stage, of no group") {
  const graph_operator any;
  CHECK(any.on_accelerator);
  CHECK_FALSE(any.on_cpu);
  CHECK(any.group == graph_operator::none);
  CHECK(any.stage == graph_operator::none);
  CHECK(any.forward + any.backward + any.cpu + any.sent_seconds + any.sent_back_seconds + any.resident + any.activations == 0);
}

TEST_CASE("operators differ by each of their parts") {
  const std::vector<graph_operator> others{
      {.forward = 1},   {.backward = 1},           {.cpu = 1},         {.sent_seconds = 1},
      {.sent_back_seconds = 1}, {.resident = 1},           {.activations = 1}, {.group = 1},
      {.stage = 1},     {.on_accelerator = false}, {.on_cpu = true},   {.is_backward = true}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    CHECK_FALSE(others[i] == graph_operator());
    for (std::size_t j = 0; j < others.size(); ++j) CHECK((others[i] == others[j]) == (i == j));
  }
}
