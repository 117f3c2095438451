// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/as_one_chain.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "known_profile.hpp"

using known_profile::chain_of;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::detail::as_one_chain;

namespace {

/// The names of the layers that are planned.
std::string planned(const profile& model, const plan_request& request = {}) {
  const profile chain = as_one_chain("here", model, request);
  std::string names;
  for (const auto& layer : chain.layers) names += layer.name;
  CHECK(chain.edges.empty());
  return names;
}

/// Layers a, b and c, with c numbered before b.
profile graph() {
  profile model = chain_of({1, 2, 3});
  model.layers[0].name = "a";
  model.layers[1].name = "c";
  model.layers[2].name = "b";
  model.edges = {{0, 2}, {2, 1}};
  return model;
}

/// A module tree: the first layer consists of the second.
profile tree() {
  profile model = chain_of({1, 2});
  model.layers[0].children = {1};
  return model;
}

/// What a request that numbers layers is told.
std::string refusal(const profile& model, const plan_request& request) {
  try {
    (void)planned(model, request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a chain is planned as it is, whatever is asked of its layers") {
  const profile model = chain_of({1, 2, 3});
  plan_request request;
  request.forbidden_cuts = {1};
  request.kept_together = {{0, 2}};
  request.weights = {1, 2, 3};
  CHECK(as_one_chain("here", model, request) == model);
}

TEST_CASE("a graph is planned in the order of its chain; a module tree has none") {
  CHECK(planned(graph()) == "abc");
  CHECK_THROWS_WITH_AS((void)planned(tree()), doctest::Contains("the model is a module tree"), stagecut::invalid_input);
}

TEST_CASE("numbers of layers say nothing of a graph, whose order is another one") {
  plan_request cut;
  cut.forbidden_cuts = {1};
  plan_request kept;
  kept.kept_together = {{0, 2}};
  plan_request weighed;
  weighed.weights = {1, 2, 3};
  for (const plan_request& request : {cut, kept, weighed}) {
    CHECK(refusal(graph(), request) ==
          "stagecut::here: model.edges = 2 edges, must be empty where a request numbers layers: call as_chain first, "
          "which puts them "
          "into order");
    CHECK(refusal(tree(), request).find("must be empty where a request numbers layers") != std::string::npos);
  }
}
