// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/graph_of_profile.hpp>

#include <doctest/doctest.h>

#include <stagecut/profile/training_memory.hpp>

#include <cstddef>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using stagecut::graph_of;
using stagecut::graph_operator;
using stagecut::layer;
using stagecut::operator_edge;
using stagecut::operator_graph;
using stagecut::profile;

namespace {

constexpr auto colocated = stagecut::tied_parameters::placement::colocated;
constexpr auto replicated = stagecut::tied_parameters::placement::replicated;
constexpr std::size_t none = graph_operator::none;

profile chain(std::size_t layers) {
  profile result;
  for (std::size_t i = 0; i < layers; ++i) {
    layer each;
    each.name = "l" + std::to_string(i);
    each.forward = static_cast<double>(1 + i);
    each.output = 64;
    result.layers.push_back(each);
  }
  return result;
}

std::vector<std::size_t> groups(const operator_graph& graph) {
  std::vector<std::size_t> result;
  for (const graph_operator& each : graph.operators) result.push_back(each.group);
  return result;
}

std::string said(const profile& model, const stagecut::graph_options& options = {}) {
  return refusal([&] { return graph_of(model, options); });
}

/// What stays for the layers of a set, copies of shared parameters once.
double resident(const operator_graph& graph, const std::set<std::size_t>& layers) {
  double sum = 0;
  for (const std::size_t i : layers) sum += graph.operators[i].resident;
  for (const auto& each : graph.shared) {
    bool needed = false;
    for (const std::size_t i : each.operators) needed = needed || layers.count(i) != 0;
    if (needed) sum += each.resident;
  }
  return sum;
}

}  // namespace

TEST_CASE("a chain is a graph, each layer feeding the next; a graph keeps its edges") {
  profile model = chain(3);
  CHECK(graph_of(model).edges == std::vector<operator_edge>{{0, 1}, {1, 2}});
  model.edges = {{2, 0}, {0, 1}, {2, 0}};
  CHECK(graph_of(model).edges == std::vector<operator_edge>{{2, 0}, {0, 1}, {2, 0}});
  CHECK(graph_of(chain(1)).edges.empty());
  CHECK(graph_of({}).operators.empty());
  model.edges.push_back({0, 3});
  CHECK(said(model) == "edge 3: there is no layer 3");
}

TEST_CASE("an operator is what its layer says") {
  profile model = chain(2);
  layer& each = model.layers[1];
  each.backward = 5;
  each.cpu = 70;
  each.stage = 3;
  each.accelerator = false;
  each.activations = 9;
  each.parameters = 10;
  model.layers[0].resident = 7;
  model.layers[0].parameters = 10;
  const operator_graph made = graph_of(model, {.link = stagecut::link_speed{0.5, 32}});
  CHECK(made.latency == 0.5);
  CHECK(made.operators[0] == graph_operator{.forward = 1, .sent_seconds = 2, .sent_back_seconds = 2, .resident = 7, .output = 64});
  CHECK(made.operators[1] == graph_operator{.forward = 2,
                                            .backward = 5,
                                            .cpu = 70,
                                            .sent_seconds = 2,
                                            .sent_back_seconds = 2,
                                            .resident = 40,
                                            .activations = 9,
                                            .output = 64,
                                            .stage = 3,
                                            .on_accelerator = false,
                                            .on_cpu = true});
  stagecut::memory_options memory;
  memory.parameter_multiplier = 8;
  memory.use_resident = false;
  CHECK(graph_of(model, {.link = {}, .memory_accounting = memory}).operators[0].resident == 80);
}

TEST_CASE("messages take the given link, else that of the machine, else no time") {
  profile model = chain(2);
  CHECK(graph_of(model).operators[0].sent_seconds == 0);
  CHECK(graph_of(model).latency == 0);
  model.machine.link = stagecut::link_speed{0.25, 16};
  CHECK(graph_of(model).operators[0].sent_seconds == 4);
  CHECK(graph_of(model).latency == 0.25);
  CHECK(graph_of(model, {.link = stagecut::link_speed{0, 64}}).operators[0].sent_seconds == 1);
  CHECK(graph_of(model, {.link = stagecut::link_speed{0, 64}}).latency == 0);
}

TEST_CASE("gradients go back where there is a backward pass without operators of its own") {
  profile model = chain(3);
  model.machine.link = stagecut::link_speed{0, 16};
  CHECK(graph_of(model).operators[0].sent_back_seconds == 0);
  model.layers[2].backward = 1;
  CHECK(graph_of(model).operators[0].sent_back_seconds == 4);
  model.layers[2].is_backward = true;
  model.layers[2].forward = 0;
  const operator_graph made = graph_of(model);
  CHECK(made.operators[0].sent_back_seconds == 0);
  CHECK(made.operators[2].is_backward);
  CHECK_FALSE(made.operators[1].is_backward);
}

TEST_CASE("groups are numbered by their first layers, those of one layer are none") {
  profile model = chain(6);
  const char* names[] = {"", "b", "a", "b", "alone", "a"};
  for (std::size_t i = 0; i < 6; ++i) model.layers[i].group = std::string(names[i]);
  CHECK(groups(graph_of(model)) == std::vector<std::size_t>{none, 0, 1, 0, none, 1});
}

TEST_CASE("colocated parameters make a group, and join groups that they touch") {
  profile model = chain(6);
  model.layers[1].group = std::string("b");
  model.layers[3].group = std::string("b");
  model.layers[2].group = std::string("c");
  model.layers[4].group = std::string("c");
  model.layers[0].tied.push_back({"w", 10, {}, colocated});
  model.layers[5].tied.push_back({"w", 10, {}, colocated});
  CHECK(groups(graph_of(model)) == std::vector<std::size_t>{0, 1, 2, 1, 2, 0});
  model.layers[5].tied.push_back({"v", 1, {}, colocated});
  model.layers[3].tied.push_back({"v", 1, {}, colocated});
  CHECK(groups(graph_of(model)) == std::vector<std::size_t>{0, 0, 1, 0, 1, 0});
  const operator_graph made = graph_of(model);
  CHECK(made.shared.empty());
  CHECK(resident(made, {0, 1, 3, 5}) == 44);
  CHECK(made.operators[5].resident == 0);
}

TEST_CASE("replicated parameters are shared where their layers may part, and make no group") {
  profile model = chain(4);
  model.layers[0].tied.push_back({"w", 10, {}, replicated});
  model.layers[3].tied.push_back({"w", 10, {}, replicated});
  model.layers[1].tied.push_back({"own", 2, 5, replicated});
  operator_graph made = graph_of(model);
  CHECK(groups(made) == std::vector<std::size_t>(4, none));
  REQUIRE(made.shared.size() == 1);
  CHECK(made.shared[0].resident == 40);
  CHECK(made.shared[0].operators == std::vector<std::size_t>{0, 3});
  CHECK(made.operators[0].resident == 0);
  CHECK(made.operators[1].resident == 5);

  model.layers[0].group = std::string("g");
  model.layers[3].group = std::string("g");
  made = graph_of(model);
  CHECK(made.shared.empty());
  CHECK(made.operators[0].resident == 40);
}

TEST_CASE("memory of any stage of a chain is that of training_memory, but for workspace and buffers") {
  std::mt19937 random(5);
  const auto bytes = [&] { return static_cast<double>(random() % 100); };
  for (int round = 0; round < 200; ++round) {
    profile model = chain(1 + random() % 7);
    const auto place = random() % 2 == 0 ? replicated : colocated;
    for (auto& layer : model.layers) {
      layer.parameters = bytes();
      layer.activations = bytes();
      if (random() % 3 == 0) layer.resident = bytes();
      for (const char* name : {"a", "b"}) {
        if (random() % 3 == 0) layer.tied.push_back({name, 7, {}, place});
      }
    }
    stagecut::memory_options options;
    options.parameter_multiplier = static_cast<double>(random() % 5);
    options.use_resident = random() % 2 == 0;
    const stagecut::training_memory memory(model, options);
    const operator_graph made = graph_of(model, {.link = {}, .memory_accounting = options});
    for (std::size_t last = 1; last <= model.layers.size(); ++last) {
      for (std::size_t first = 0; first < last; ++first) {
        std::set<std::size_t> stage;
        double activations = 0;
        bool whole = true;  // groups
        for (std::size_t i = first; i < last; ++i) {
          stage.insert(i);
          activations += made.operators[i].activations;
        }
        for (std::size_t i = 0; i < model.layers.size(); ++i) {
          for (const std::size_t j : stage) {
            whole = whole && (stage.count(i) != 0 || made.operators[i].group == none ||
                              made.operators[i].group != made.operators[j].group);
          }
        }
        if (!whole) continue;
        CHECK(resident(made, stage) == memory(first, last, 1).resident);
        CHECK(3 * activations == memory(first, last, 3).activations);
      }
    }
  }
}

TEST_CASE("what is no graph, no figure or no option is refused") {
  profile tree = chain(3);
  tree.layers[1].children.push_back(2);
  CHECK(said(tree) == "layer 1 (\"l1\"): has children: the model is a module tree, see flatten_modules");
  profile model = chain(2);
  stagecut::graph_options options;
  options.memory_accounting.checkpoint = stagecut::checkpointing::always;
  CHECK(said(model, options) ==
        "stagecut::graph_of: options.memory_accounting.checkpoint = always, must be never: what enters a stage "
        "of a graph belongs to no operator of it");
  options = {};
  options.memory_accounting.parameter_multiplier = -1;
  CHECK(said(model, options) ==
        "stagecut::graph_of: options.memory_accounting.parameter_multiplier = -1.000000, must be finite and not negative");
  options = {};
  options.link = stagecut::link_speed{std::numeric_limits<double>::quiet_NaN(), 1};
  CHECK(said(model, options).substr(0, 38) == "stagecut::graph_of: options.link.laten");
  options.link = stagecut::link_speed{0, -1};
  CHECK(said(model, options).substr(0, 38) == "stagecut::graph_of: options.link.bandw");
  options.link = stagecut::link_speed{0, 1e-300};
  model.layers[1].output = 1e300;
  CHECK(said(model, options) == "layer 1 (\"l1\"): the time of its output is out of range");
  model.layers[0].parameters = 1e308;
  CHECK(said(model) == "layer 0 (\"l0\"): what stays of it is out of range");
  model.layers[0].parameters = 0;
  model.layers[0].tied.push_back({"w", 1e308, {}, replicated});
  model.layers[1].tied.push_back({"w", 1e308, {}, replicated});
  CHECK(said(model) == "layer 0 (\"l0\"): what stays of its tied parameters is out of range");
  model.layers[1].forward = -1;
  CHECK(said(model) == "layer 1 (\"l1\"): forward = -1.000000, must be finite and not negative");
}
