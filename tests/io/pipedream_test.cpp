// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/pipedream.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/file.hpp>

#include "workload_files.hpp"

using stagecut::io::parse_pipedream;

namespace {

std::string node(const std::string& id, const std::string& description = "ReLU(inplace)") {
  return id + " -- " + description +
         " -- forward_compute_time=1.500, backward_compute_time=2.500, activation_size=64.0, parameter_size=16.000\n";
}

/// What the refusal of a text says.
std::string refusal(const std::string& text) {
  try {
    (void)parse_pipedream(text, "graph.txt");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

/// The number behind `field=`, or the sum of a list there, read by another way than the reader's.
double sum_behind(const std::string& line, const std::string& field) {
  std::string rest = line.substr(line.rfind(field + "=") + field.size() + 1);
  const bool list = rest.front() == '[';
  rest = rest.substr(list ? 1 : 0, rest.find(list ? ']' : ',') - (list ? 1 : 0));
  std::replace(rest.begin(), rest.end(), ';', ' ');
  std::istringstream numbers(rest);
  double sum = 0;
  for (double each = 0; numbers >> each;) sum += each;
  return sum;
}

std::string names(const stagecut::profile& model) {
  std::string result;
  for (const auto& layer : model.layers) result += (result.empty() ? "" : " ") + layer.name;
  return result;
}

/// The edges by the names at their ends.
std::string edges(const stagecut::profile& model) {
  std::string result;
  for (const auto& [from, to] : model.edges) {
    result += (result.empty() ? "" : " ") + model.layers[from].name + ">" + model.layers[to].name;
  }
  return result;
}

}  // namespace

TEST_CASE("a chain is read in its order, in seconds, with summed activations") {
  const auto model = parse_pipedream(
      node("b", "Conv2d(3, 64, kernel_size=(3, 3)) -- v2") + node("c", "") +
          "a -- Input0 -- forward_compute_time=0.0, backward_compute_time=0, activation_size=[1.0; 2.0; 3], "
          "parameter_size=0 -- stage_id=4\n\ta -- b\n    b -- c",
      "graph.txt");
  REQUIRE(model.layers.size() == 3);
  CHECK(model.layers[0] == stagecut::layer{"a", "Input0", 0, 0, 0, 6, 6});
  CHECK(model.layers[1] == stagecut::layer{"b", "Conv2d", 0.0015, 0.0025, 16, 64, 64});
  CHECK(model.layers[2].name == "c");
  CHECK(!model.weights_only);
  CHECK(model.edges.empty());
}

TEST_CASE("a path is a chain, in whatever order it is written") {
  CHECK(parse_pipedream(node("a"), "graph.txt").layers.size() == 1);
  const auto model = parse_pipedream(
      "\td -- b\n" + node("a") + node("b") + node("c") + node("d") + "\tc -- d\n\ta -- c\n", "graph.txt");
  CHECK(names(model) == "a c d b");
  CHECK(model.edges.empty());
}

TEST_CASE("any other graph keeps its edges, each layer behind what feeds it, else as it is written") {
  const std::string four = node("d") + node("c") + node("b") + node("a");
  const auto read = [&](const std::string& lines) { return parse_pipedream(four + lines, "graph.txt"); };
  const auto diamond = read("\ta -- b\n\ta -- c\n\tb -- d\n\tc -- d\n");
  CHECK(names(diamond) == "a c b d");
  CHECK(edges(diamond) == "a>b a>c c>d b>d");
  CHECK(diamond.layers[1].output == 64);
  CHECK(diamond.layers[3].output == 64);
  const auto skip = read("\ta -- b\n\tb -- c\n\tc -- d\n\ta -- c\n");
  CHECK(names(skip) == "a b c d");
  CHECK(edges(skip) == "a>b a>c b>c c>d");
  const auto parts = read("\td -- c\n\tb -- a\n");
  CHECK(names(parts) == "d c b a");
  CHECK(edges(parts) == "d>c b>a");
  const auto fork = read("\td -- c\n\td -- b\n\td -- a\n");
  CHECK(edges(fork) == "d>c d>b d>a");
}

TEST_CASE("any graph is read with all its edges, which lead forward") {
  std::mt19937 random(5);
  int chains = 0;
  int graphs = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 2 + random() % 6;
    std::vector<std::size_t> order(n);
    for (std::size_t v = 0; v < n; ++v) order[v] = v;
    std::shuffle(order.begin(), order.end(), random);
    std::string text;
    std::set<std::pair<std::string, std::string>> expected;
    for (std::size_t v = 0; v < n; ++v) text += node(std::to_string(v));
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = u + 1; v < n; ++v) {
        if (v != u + 1 && random() % (2 * n) != 0) continue;
        expected.emplace(std::to_string(order[u]), std::to_string(order[v]));
        text += stagecut::detail::joined({"\t", order[u], " -- ", order[v], "\n"});
      }
    }
    const auto model = parse_pipedream(text, "graph.txt");
    REQUIRE(model.layers.size() == n);
    std::set<std::pair<std::string, std::string>> read;
    for (const auto& [from, to] : model.edges) {
      REQUIRE(from < to);
      read.emplace(model.layers[from].name, model.layers[to].name);
    }
    const bool path = expected.size() == n - 1;  // the edges from each to the next are always there
    REQUIRE(model.edges.empty() == path);
    for (std::size_t i = 0; path && i + 1 < n; ++i) read.emplace(model.layers[i].name, model.layers[i + 1].name);
    REQUIRE(read == expected);
    ++(path ? chains : graphs);
  }
  CHECK(chains > 100);
  CHECK(graphs > 100);
}

TEST_CASE("a cycle is named at its first layer") {
  const std::string three = node("a") + node("b") + node("c");
  CHECK(refusal(three + "\tb -- c\n\tc -- b\n") == "graph.txt:2: \"b\" -> \"c\" -> \"b\" is a cycle");
  CHECK(refusal(three + "\tb -- c\n\tc -- b\n\tb -- a\n") == "graph.txt:2: \"b\" -> \"c\" -> \"b\" is a cycle");
  CHECK(refusal(three + "\ta -- b\n\tb -- c\n\tc -- a\n") ==
        "graph.txt:1: \"a\" -> \"b\" -> \"c\" -> \"a\" is a cycle");
  CHECK(refusal(node("a") + "\ta -- a\n") == "graph.txt:1: \"a\" -> \"a\" is a cycle");
}

TEST_CASE("a large graph is read in little more than the time of its text") {
  std::string text;
  std::string lines;
  for (int i = 0; i < 50000; ++i) {
    text += node(std::to_string(i));
    if (i > 0) lines += "\t" + std::to_string(i - 1) + " -- " + std::to_string(i) + "\n";
    if (i > 1) lines += "\t0 -- " + std::to_string(i) + "\n";
  }
  const auto model = parse_pipedream(text + lines, "graph.txt");
  REQUIRE(model.layers.size() == 50000);
  CHECK(model.edges.size() == 99997);
}

TEST_CASE("each mistake is named with its line") {
  CHECK(refusal("") == "graph.txt: names no layer");
  CHECK(refusal(node("a") + node("b")) == "graph.txt: names 2 nodes, and no edge");
  CHECK(refusal(node("a") + node("a")) == "graph.txt:2: node \"a\" was defined before");
  CHECK(refusal(node("a") + "\ta -- b\n") == "graph.txt:2: node \"b\" is not defined");
  CHECK(refusal(node("a") + "\ta b\n") == "graph.txt:2: not an edge, \"id -- id\"");
  CHECK(refusal(node("a") + node("b") + "\ta -- b\n\ta -- b\n") ==
        "graph.txt:4: the edge from \"a\" to \"b\" stands twice");
  CHECK(refusal("a -- x\n") ==
        "graph.txt:1: not a node, \"id -- description -- forward_compute_time=...\", and not indented as an edge");
  const std::string start = "a -- x -- forward_compute_time=";
  CHECK(refusal(start + "1, backward_compute_time=x, activation_size=1, parameter_size=0") ==
        "graph.txt:1: backward_compute_time: \"x\" is not a number");
  CHECK(refusal(start + "1, activation_size=1, parameter_size=0") ==
        "graph.txt:1: field \"backward_compute_time\" is missing");
  CHECK(refusal(start + "1, backward_compute_time=1, activation_size=[1; -2], parameter_size=0") ==
        "graph.txt:1: activation_size: \"-2\" is negative");
  CHECK(refusal(start + "1, backward_compute_time=1, activation_size=[1; 2, parameter_size=0") ==
        "graph.txt:1: activation_size: the bracket is not closed");
  CHECK(refusal(start + "1, backward_compute_time=1, activation_size=[1e308; 1e308], parameter_size=0") ==
        "graph.txt:1: activation_size: the sum is out of range");
}

TEST_CASE("the published graphs are read node by node, edge by edge") {
  std::size_t lists = 0;
  std::size_t sources = 0;
  for (const std::string& path : workload_files({"pipedream", "hpgo"}, ".txt")) {
    CAPTURE(path);
    const std::string text = stagecut::io::file_text(path);
    const auto model = parse_pipedream(text, path);
    std::map<std::string, std::vector<double>> nodes;  // forward, backward, output, parameters
    std::multiset<std::pair<std::string, std::string>> expected;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::istringstream words(line);
      std::string first;
      std::string dashes;
      std::string second;
      words >> first >> dashes >> second;
      if (line[0] == ' ' || line[0] == '\t') {
        expected.emplace(first, second);
      } else {
        nodes[first] = {sum_behind(line, "forward_compute_time") / 1000,
                        sum_behind(line, "backward_compute_time") / 1000, sum_behind(line, "activation_size"),
                        sum_behind(line, "parameter_size")};
        lists += line.find("activation_size=[") != std::string::npos ? 1 : 0;
      }
    }
    REQUIRE(model.layers.size() == nodes.size());
    std::size_t different = 0;
    for (const auto& layer : model.layers) {
      const auto& figures = nodes.at(layer.name);
      different += layer.forward != figures[0] || layer.backward != figures[1] || layer.output != figures[2];
      different += layer.activations != figures[2] || layer.parameters != figures[3];
    }
    CHECK(different == 0);
    std::multiset<std::pair<std::string, std::string>> read;
    for (const auto& [from, to] : model.edges) {
      different += from < to ? 0 : 1;
      read.emplace(model.layers[from].name, model.layers[to].name);
    }
    for (std::size_t i = 0; model.edges.empty() && i + 1 < model.layers.size(); ++i) {
      read.emplace(model.layers[i].name, model.layers[i + 1].name);
    }
    CHECK(different == 0);
    CHECK(read == expected);
    std::set<std::string> fed;
    for (const auto& [from, to] : read) fed.insert(to);
    sources += model.layers.size() - fed.size() > 1 ? 1 : 0;
  }
  if (!workload_files({"pipedream"}, ".txt").empty()) {
    CHECK(lists > 0);    // the pitfalls of the format are among them: lists,
    CHECK(sources > 0);  // and several nodes that nothing feeds
  }
}
