// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/flatten_modules.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using stagecut::flatten_modules;
using stagecut::layer;
using stagecut::profile;

namespace {

/// A layer with its children and a forward time.
layer module(std::string name, std::vector<std::size_t> children, double forward = 0) {
  layer each{std::move(name), "", forward};
  if (!children.empty()) each.children = std::move(children);
  return each;
}

std::string names(const profile& model) {
  std::string result;
  for (const auto& layer : model.layers) result += (result.empty() ? "" : " ") + layer.name;
  return result;
}

std::string refused(std::vector<layer> layers) {
  return refusal<stagecut::invalid_input>([&] { return flatten_modules(profile{std::move(layers)}); });
}

/// What `flatten_modules` does, as its definition says it, by recursion.
void gather(const profile& model, std::size_t at, std::vector<std::string>& leaves) {
  const layer& each = model.layers[at];
  if (each.children.empty() || each.forward > 0) leaves.push_back(each.name);
  for (const std::size_t child : each.children) gather(model, child, leaves);
}

}  // namespace

TEST_CASE("leaves stand in the order of the tree, a module that takes something in front of its own") {
  profile model{
      {module("d", {}, 1), module("root", {2, 4}), module("block", {3, 0}, 2), module("c", {}), module("e", {})}};
  model.machine.devices = 4;
  const profile flat = flatten_modules(model);
  CHECK(names(flat) == "block c d e");
  CHECK(flat.layers[0].forward == 2);
  for (const auto& layer : flat.layers) CHECK(layer.children.empty());
  CHECK(flat.machine == model.machine);
  CHECK(flat.edges.empty());
  CHECK(flatten_modules(flat) == flat);
  model.layers[1].tied = {{"w", 1, {}, {}}};
  CHECK(names(flatten_modules(model)) == "root block c d e");
  model.layers[1].tied.clear();
  model.layers[1].resident = 8;
  CHECK(names(flatten_modules(model)) == "root block c d e");
  model.layers[1].resident = 0;
  CHECK(names(flatten_modules(model)) == "block c d e");
}

TEST_CASE("edges between leaves are kept, and modules that have some") {
  profile model{{module("root", {1, 2, 3}), module("a", {}), module("b", {4}), module("c", {}), module("d", {})}};
  model.edges = {{1, 4}, {4, 3}, {1, 3}};
  const profile flat = flatten_modules(model);
  CHECK(names(flat) == "a d c");
  CHECK(flat.edges == std::vector<stagecut::profile_edge>{{0, 1}, {1, 2}, {0, 2}});
  model.edges = {{1, 2}, {2, 3}};
  const profile joined = flatten_modules(model);
  CHECK(names(joined) == "a b d c");
  CHECK(joined.edges == std::vector<stagecut::profile_edge>{{0, 1}, {1, 3}});
}

TEST_CASE("a group and a fixed stage of a module are those of all of it") {
  profile model{{module("root", {1, 4}), module("block", {2, 3}), module("a", {}), module("b", {}), module("c", {})}};
  model.layers[0].stage = 3;
  model.layers[1].group = "block";
  model.layers[3].group = "own";
  model.layers[3].stage = 1;
  const profile flat = flatten_modules(model);
  REQUIRE(names(flat) == "a b c");
  CHECK(flat.layers[0].group == std::string("block"));
  CHECK(flat.layers[1].group == std::string("own"));
  CHECK(flat.layers[2].group.empty());
  CHECK(flat.layers[0].stage == 3);
  CHECK(flat.layers[1].stage == 1);
  CHECK(flat.layers[2].stage == 3);
}

TEST_CASE("what is no tree is refused with a layer of it") {
  CHECK(refused({module("a", {1}), module("b", {})}) == "not refused");
  CHECK(refused({module("a", {2}), module("b", {})}) == "layer 0 (\"a\"): there is no layer 2 for a child");
  CHECK(refused({module("a", {1, 2}), module("b", {2}), module("c", {})}) ==
        "layer 2 (\"c\"): is a child of layer 0 (\"a\") and of layer 1 (\"b\")");
  CHECK(refused({module("a", {1, 1}), module("b", {})}) ==
        "layer 1 (\"b\"): is a child of layer 0 (\"a\") and of layer 0 (\"a\")");
  CHECK(refused({module("a", {}), module("b", {2}), module("c", {1})}) ==
        "layer 1 (\"b\"): \"b\" -> \"c\" -> \"b\" is a cycle of children");
  CHECK(refused({module("a", {0})}) == "layer 0 (\"a\"): \"a\" -> \"a\" is a cycle of children");
  CHECK(refused({module("a", {1}), module("b", {}), module("c", {})}) ==
        "layer 2 (\"c\"): is no child, nor is layer 0 (\"a\"): a module tree has one root");
  profile model{{module("a", {1}), module("b", {})}};
  model.edges = {{0, 2}};
  CHECK_THROWS_WITH_AS((void)flatten_modules(model), "edge 0: there is no layer 2", stagecut::invalid_input);
}

TEST_CASE("random trees have the leaves that a recursion gathers, and none is too deep") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 2 + random() % 10;
    profile model;
    for (std::size_t i = 0; i < n; ++i)
      model.layers.push_back(module(std::to_string(i), {}, random() % 2 == 0 ? 0 : 1));
    for (std::size_t i = 1; i < n; ++i) model.layers[random() % i].children.push_back(i);
    std::vector<std::string> expected;
    gather(model, 0, expected);
    const profile flat = flatten_modules(model);
    REQUIRE(flat.layers.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(flat.layers[i].name == expected[i]);
  }
  profile deep;
  for (std::size_t i = 0; i < 300000; ++i) deep.layers.push_back(module("m", {i + 1}));
  deep.layers.push_back(module("leaf", {}));
  CHECK(names(flatten_modules(std::move(deep))) == "leaf");
}
