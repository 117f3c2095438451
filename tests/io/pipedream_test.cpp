// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pipedream.hpp>

#include <doctest/doctest.h>

#include <string>

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

TEST_CASE("what is not a chain is named where it is not") {
  const std::string three = node("a") + node("b") + node("c");
  CHECK(refusal(three + "\ta -- b\n\ta -- c\n") == "graph.txt:1: not a chain: \"a\" feeds \"b\" and \"c\"");
  CHECK(refusal(three + "\ta -- c\n\tb -- c\n") ==
        "graph.txt:2: not a chain: nothing feeds \"a\", and nothing feeds \"b\"");
  CHECK(refusal(node("c") + node("a") + node("b") + "\ta -- c\n\tb -- c\n") ==
        "graph.txt:1: not a chain: \"c\" is fed by \"a\" and \"b\"");
  CHECK(refusal(three + "\ta -- b\n") == "graph.txt:3: not a chain: nothing feeds \"a\", and nothing feeds \"c\"");
  CHECK(refusal(three + "\tb -- c\n\tc -- b\n") == "graph.txt:2: not a chain: \"b\" is on a cycle");
  CHECK(refusal(three + "\ta -- b\n\tb -- c\n\tc -- a\n") == "graph.txt:1: not a chain: \"a\" is on a cycle");
  CHECK(refusal(node("a") + "\ta -- a\n") == "graph.txt:1: not a chain: \"a\" is on a cycle");
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
