// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/as_chain.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

using stagecut::as_chain;
using stagecut::layer;
using stagecut::profile;

namespace {

/// A layer that takes time.
layer node(std::string name, double output = 64) {
  layer result;
  result.name = std::move(name);
  result.forward = 1;
  result.output = output;
  return result;
}

/// A layer that takes no time and holds no parameters.
layer free_node(std::string name, double output) {
  layer result;
  result.name = std::move(name);
  result.output = output;
  return result;
}

profile graph(std::vector<layer> layers, std::vector<stagecut::profile_edge> edges) {
  profile result;
  result.layers = std::move(layers);
  result.edges = std::move(edges);
  return result;
}

/// What the refusal of a graph says.
std::string refusal(const profile& model) {
  try {
    (void)as_chain(model);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

std::string names(const profile& model) {
  std::string result;
  for (const auto& layer : model.layers) result += (result.empty() ? "" : " ") + layer.name;
  return result;
}

std::vector<double> outputs(const profile& model) {
  std::vector<double> result;
  for (const auto& layer : model.layers) result.push_back(layer.output);
  return result;
}

}  // namespace

TEST_CASE("a chain is returned as it is") {
  profile chain = graph({node("a"), free_node("b", 3), node("c")}, {});
  chain.name = "n";
  CHECK(as_chain(chain) == chain);
  CHECK(as_chain({}) == profile{});
}

TEST_CASE("a path loses its edges, and nothing else of it changes but the order") {
  profile path = graph({node("b", 2), node("c", 3), node("a", 1)}, {{0, 1}, {2, 0}});
  path.name = "n";
  path.weights_only = true;
  path.unknown_fields = R"({"x":1})";
  path.layers[0].group = "g";
  path.layers[0].modules = {"m"};
  path.layers[0].tied = {{"t", 8, 16, stagecut::tied_parameters::placement::colocated}};
  path.layers[0].unknown_fields = R"({"y":1})";
  path.layers[0].shardings = {{"row", 2, 1}};
  path.layers[0].shardings[0].output = 5;
  profile expected = path;
  expected.edges.clear();
  expected.layers = {path.layers[2], path.layers[0], path.layers[1]};
  CHECK(as_chain(path) == expected);
  CHECK(as_chain(as_chain(path)) == expected);
}

TEST_CASE("what costs nothing stands beside the chain, as early as it can") {
  // b feeds c through a view and a size: the size is read together with the view.
  const auto model = as_chain(
      graph({node("c"), node("b"), free_node("view", 64), free_node("size", 4)}, {{1, 2}, {1, 3}, {3, 2}, {2, 0}}));
  CHECK(names(model) == "b size view c");
  CHECK(outputs(model) == std::vector<double>{64, 68, 64, 64});
  // Two inputs, one needed late, and a result that is never read.
  const auto inputs =
      as_chain(graph({node("a"), node("b"), free_node("late", 2), free_node("early", 1), free_node("unread", 8)},
                     {{3, 0}, {2, 1}, {0, 1}, {0, 4}}));
  CHECK(names(inputs) == "late early a unread b");
  CHECK(outputs(inputs) == std::vector<double>{2, 3, 66, 66, 64});
}

TEST_CASE("an edge that skips layers is counted in the output of each") {
  const auto model =
      as_chain(graph({node("a"), node("b"), node("c"), node("d")}, {{0, 1}, {1, 2}, {2, 3}, {0, 2}, {0, 3}, {1, 3}}));
  CHECK(names(model) == "a b c d");
  CHECK(outputs(model) == std::vector<double>{64, 128, 192, 64});
  CHECK(refusal(graph({node("a", 1e308), node("b", 1e308), node("c")}, {{0, 1}, {1, 2}, {0, 2}})) ==
        "layer 1 (\"b\"): the sum of what crosses a cut behind it is out of range");
}

TEST_CASE("sums of what crosses a cut hold no rest of what is gone") {
  const auto model = as_chain(
      graph({node("a", 1e300), node("b", 0.1), node("c", 0.7), node("d", 1)}, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}));
  CHECK(outputs(model) == std::vector<double>{1e300, 1e300, 0.7, 1});
}

TEST_CASE("variants hand on what passes their layer") {
  profile model = graph({node("a", 1), node("b", 10), node("c", 100)}, {{0, 1}, {1, 2}, {0, 2}});
  for (auto& layer : model.layers) {
    layer.recomputations = {{"full"}};
    layer.recomputations[0].output = 1000;
    layer.shardings = {{"row", 2}};
  }
  const auto chain = as_chain(model);
  CHECK(outputs(chain) == std::vector<double>{1, 11, 100});
  CHECK(chain.layers[0].recomputations[0].output == 1000);
  CHECK(chain.layers[1].recomputations[0].output == 1001);
  CHECK(chain.layers[1].shardings[0].output == 1);
  CHECK(chain.layers[2].recomputations[0].output == 1000);
  model.layers[1].shardings[0].output = std::numeric_limits<double>::infinity();
  CHECK(refusal(model) == "layer 1 (\"b\"): the sum of what crosses a cut behind it is out of range");
}

TEST_CASE("any graph is told to be a chain or none, and what crosses is counted, as the definitions say") {
  std::mt19937 random(5);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  int chains = 0;
  int others = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + up_to(6);
    std::vector<std::vector<bool>> edge(n, std::vector<bool>(n));
    std::vector<bool> costs;
    profile model;
    for (std::size_t v = 0; v < n; ++v) costs.push_back(up_to(2) != 0);
    for (std::size_t v = 0; v < n; ++v) {
      model.layers.push_back(costs[v] ? node(std::to_string(v)) : free_node(std::to_string(v), 4));
    }
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = u + 1; v < n; ++v) {
        edge[u][v] = up_to(v == u + 1 ? 4 : 2) != 0;
        if (edge[u][v]) model.edges.push_back({u, v});
      }
    }
    if (model.edges.empty()) continue;  // a chain by definition
    auto path = edge;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) path[u][v] = path[u][v] || (path[u][k] && path[k][v]);
      }
    }
    bool chain = true;
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = u + 1; v < n; ++v) chain = chain && (path[u][v] || !costs[u] || !costs[v]);
    }
    REQUIRE((refusal(model) == "not refused") == chain);
    ++(chain ? chains : others);
    if (!chain) continue;
    const auto made = as_chain(model);
    REQUIRE(made.layers.size() == n);
    REQUIRE(made.edges.empty());
    std::vector<std::size_t> order;
    for (const auto& layer : made.layers) order.push_back(std::stoul(layer.name));
    for (std::size_t i = 0; i < n; ++i) {
      double crossing = i + 1 == n ? model.layers[order[i]].output : 0;
      for (std::size_t u = 0; u <= i && i + 1 < n; ++u) {
        bool needed = false;
        for (std::size_t v = i + 1; v < n; ++v) {
          needed = needed || edge[order[u]][order[v]];
          REQUIRE(!edge[order[v]][order[u]]);
        }
        crossing += needed ? model.layers[order[u]].output : 0;
      }
      REQUIRE(made.layers[i].output == crossing);
    }
  }
  CHECK(chains > 300);
  CHECK(others > 300);
}

TEST_CASE("what is not a chain is named where it is not") {
  const std::vector<layer> three = {node("a"), node("b"), node("c")};
  const auto apart = [](int at, const std::string& first, const std::string& second) {
    return "layer " + std::to_string(at) + " (\"" + second + "\"): not a chain: no path joins \"" + first +
           "\" and \"" + second + "\", which both take time or hold parameters";
  };
  CHECK(refusal(graph(three, {{0, 1}, {0, 2}})) == apart(2, "b", "c"));
  CHECK(refusal(graph(three, {{0, 2}, {1, 2}})) == apart(1, "a", "b"));
  CHECK(refusal(graph(three, {{0, 1}})) == apart(2, "b", "c"));
  auto four = three;
  four.push_back(free_node("z", 1));
  CHECK(refusal(graph(four, {{0, 1}, {0, 3}, {3, 2}})) == apart(2, "b", "c"));
  CHECK(refusal(graph(three, {{1, 2}, {2, 1}})) == "layer 1 (\"b\"): \"b\" -> \"c\" -> \"b\" is a cycle");
  CHECK(refusal(graph(three, {{0, 0}})) == "layer 0 (\"a\"): \"a\" -> \"a\" is a cycle");
  CHECK(refusal(graph(three, {{0, 1}, {3, 1}})) == "edge 1: there is no layer 3");
  CHECK(refusal(graph(three, {{0, 7}})) == "edge 0: there is no layer 7");
}

TEST_CASE("parameters of any kind cost something") {
  for (int kind = 0; kind < 6; ++kind) {
    layer each = free_node("x", 1);
    if (kind == 1) each.backward = 1;
    if (kind == 2) each.parameters = 1;
    if (kind == 3) each.resident = 1;
    if (kind == 4) each.tied = {{"w", 1, {}, {}}};
    if (kind == 5) each.tied = {{"w", 0, 1, {}}};
    const bool chain = refusal(graph({node("a"), node("b"), each}, {{0, 1}, {0, 2}})) == "not refused";
    CHECK(chain == (kind == 0));
  }
}

TEST_CASE("a module tree is no chain") {
  profile tree = graph({node("a"), node("b")}, {});
  tree.layers[0].children = {1};
  CHECK(refusal(tree) == "layer 0 (\"a\"): has children: the model is a module tree, not a chain");
  tree.edges = {{0, 1}};
  CHECK(refusal(tree) == "layer 0 (\"a\"): has children: the model is a module tree, not a chain");
}

TEST_CASE("groups stay together in the chain") {
  profile model = graph({node("a"), node("c"), node("b"), node("d")}, {{0, 2}, {2, 1}, {1, 3}});
  model.layers[0].group = model.layers[2].group = "g";
  model.layers[1].group = "h";
  CHECK(names(as_chain(model)) == "a b c d");
  model.layers[3].group = "g";
  CHECK(refusal(model) == "layer 3 (\"d\"): not a chain: \"c\" stands between it and others of group \"g\"");
  model.edges = {{0, 1}, {1, 2}, {2, 3}};
  CHECK(refusal(model) == "layer 2 (\"b\"): not a chain: \"c\" stands between it and others of group \"g\"");
}

TEST_CASE("a large graph takes little more than its size") {
  profile model;
  for (std::size_t i = 0; i < 50000; ++i) {
    model.layers.push_back(node(std::to_string(i)));
    model.layers.back().group = std::to_string(i / 2);
    if (i > 0) model.edges.push_back({i - 1, i});
    if (i > 1) model.edges.push_back({0, i});
  }
  const auto chain = as_chain(model);
  REQUIRE(chain.layers.size() == 50000);
  CHECK(chain.layers[25000].output == 128);
}
