// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pipedream.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

using stagecut::io::parse_pipedream;

namespace {

std::string node(const std::string& id, const std::string& description = "ReLU(inplace)") {
  return id + " -- " + description +
         " -- forward_compute_time=1.500, backward_compute_time=2.500, activation_size=64.0, parameter_size=16.000\n";
}

/// A node that takes no time and holds no parameters.
std::string free_node(const std::string& id, const std::string& bytes) {
  return id + " -- View(-1) -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=" + bytes +
         ", parameter_size=0.000\n";
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

std::string names(const stagecut::profile& model) {
  std::string result;
  for (const auto& each : model.layers) result += (result.empty() ? "" : " ") + each.name;
  return result;
}

std::vector<double> outputs(const stagecut::profile& model) {
  std::vector<double> result;
  for (const auto& each : model.layers) result.push_back(each.output);
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
}

TEST_CASE("one node is a chain") { CHECK(parse_pipedream(node("a"), "graph.txt").layers.size() == 1); }

TEST_CASE("what costs nothing stands beside the chain, as early as it can") {
  // b feeds c through a view and a size: the size is read beside the view.
  const auto model = parse_pipedream(node("c") + node("b") + free_node("view", "64") + free_node("size", "4") +
                                         "\tb -- view\n\tb -- size\n\tsize -- view\n\tview -- c\n",
                                     "graph.txt");
  CHECK(names(model) == "b size view c");
  CHECK(outputs(model) == std::vector<double>{64, 68, 64, 64});
  // Two inputs, of which one is needed late, and a result that nobody reads.
  const auto inputs =
      parse_pipedream(node("a") + node("b") + free_node("late", "2") + free_node("early", "1") +
                          free_node("unread", "8") + "\tearly -- a\n\tlate -- b\n\ta -- b\n\ta -- unread\n",
                      "graph.txt");
  CHECK(names(inputs) == "late early a unread b");
  CHECK(outputs(inputs) == std::vector<double>{2, 3, 66, 66, 64});
  CHECK(inputs.layers[3].activations == 8);
}

TEST_CASE("an edge that skips layers is counted in the output of each") {
  const auto model = parse_pipedream(
      node("a") + node("b") + node("c") + node("d") + "\ta -- b\n\tb -- c\n\tc -- d\n\ta -- c\n\ta -- d\n\tb -- d\n",
      "graph.txt");
  CHECK(names(model) == "a b c d");
  CHECK(outputs(model) == std::vector<double>{64, 128, 192, 64});
  CHECK(model.layers[2].activations == 64);
  const auto huge = [](const std::string& id) {
    return id + " -- x -- forward_compute_time=1, backward_compute_time=1, activation_size=1e308, parameter_size=0\n";
  };
  CHECK(refusal(huge("a") + huge("b") + huge("c") + "\ta -- b\n\tb -- c\n\ta -- c\n") ==
        "graph.txt:2: the sum of what crosses a cut behind it is out of range");
}

TEST_CASE("sums of what crosses a cut hold no rest of what is gone") {
  const auto sized = [](const std::string& id, const std::string& bytes) {
    return id + " -- x -- forward_compute_time=1, backward_compute_time=1, activation_size=" + bytes +
           ", parameter_size=0\n";
  };
  const auto model = parse_pipedream(sized("a", "1e300") + sized("b", "0.1") + sized("c", "0.7") + sized("d", "1") +
                                         "\ta -- b\n\ta -- c\n\tb -- c\n\tc -- d\n",
                                     "graph.txt");
  CHECK(outputs(model) == std::vector<double>{1e300, 1e300, 0.7, 1});
}

TEST_CASE("any graph is told to be a chain or none, and what crosses is counted, as the definitions say") {
  std::mt19937 random(5);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  int chains = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + up_to(6);
    std::vector<std::vector<bool>> edge(n, std::vector<bool>(n));
    std::vector<bool> costs;
    std::string text;
    for (std::size_t v = 0; v < n; ++v) costs.push_back(up_to(2) != 0);
    for (std::size_t v = 0; v < n; ++v) text += costs[v] ? node(std::to_string(v)) : free_node(std::to_string(v), "4");
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = u + 1; v < n; ++v) {
        edge[u][v] = up_to(v == u + 1 ? 4 : 2) != 0;
        if (edge[u][v]) text += "\t" + std::to_string(u) + " -- " + std::to_string(v) + "\n";
      }
    }
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
    REQUIRE((refusal(text) == "not refused") == chain);
    if (!chain) continue;
    ++chains;
    const auto model = parse_pipedream(text, "graph.txt");
    REQUIRE(model.layers.size() == n);
    std::vector<std::size_t> order;
    for (const auto& each : model.layers) order.push_back(std::stoul(each.name));
    for (std::size_t i = 0; i + 1 < n; ++i) {
      double crossing = 0;
      for (std::size_t u = 0; u <= i; ++u) {
        bool needed = false;
        for (std::size_t v = i + 1; v < n; ++v) {
          needed = needed || edge[order[u]][order[v]];
          REQUIRE(!edge[order[v]][order[u]]);
        }
        crossing += needed ? model.layers[u].activations : 0;
      }
      REQUIRE(model.layers[i].output == crossing);
    }
  }
  CHECK(chains > 300);
  CHECK(chains < 2700);
}

TEST_CASE("what is not a chain is named where it is not") {
  const std::string three = node("a") + node("b") + node("c");
  const auto apart = [](int line, const std::string& first, const std::string& second) {
    return "graph.txt:" + std::to_string(line) + ": not a chain: no path joins \"" + first + "\" and \"" + second +
           "\", which both take time or hold parameters";
  };
  CHECK(refusal(three + "\ta -- b\n\ta -- c\n") == apart(3, "b", "c"));
  CHECK(refusal(three + "\ta -- c\n\tb -- c\n") == apart(2, "a", "b"));
  CHECK(refusal(three + "\ta -- b\n") == apart(3, "b", "c"));
  CHECK(refusal(three + free_node("z", "1") + "\ta -- b\n\ta -- z\n\tz -- c\n") == apart(3, "b", "c"));
  CHECK(refusal(three + "\tb -- c\n\tc -- b\n") == "graph.txt:2: not a chain: \"b\" is on a cycle");
  CHECK(refusal(three + "\tb -- c\n\tc -- b\n\tb -- a\n") == "graph.txt:2: not a chain: \"b\" is on a cycle");
  CHECK(refusal(three + "\ta -- b\n\tb -- c\n\tc -- a\n") == "graph.txt:1: not a chain: \"a\" is on a cycle");
  CHECK(refusal(node("a") + "\ta -- a\n") == "graph.txt:1: not a chain: \"a\" is on a cycle");
}

TEST_CASE("a large graph is read in little more than the time of its text") {
  std::string text;
  std::string edges;
  for (int i = 0; i < 50000; ++i) {
    text += node(std::to_string(i));
    if (i > 0) edges += "\t" + std::to_string(i - 1) + " -- " + std::to_string(i) + "\n";
    if (i > 1) edges += "\t0 -- " + std::to_string(i) + "\n";
  }
  const auto model = parse_pipedream(text + edges, "graph.txt");
  REQUIRE(model.layers.size() == 50000);
  CHECK(model.layers[25000].output == 128);
}

TEST_CASE("each mistake is named with its line") {
  CHECK(refusal("") == "graph.txt: names no layer");
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
