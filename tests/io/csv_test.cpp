// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/csv.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "random_plans.hpp"

using stagecut::io::as_csv;
using stagecut::io::parse_csv;

namespace {

const std::string header = "name,kind,forward,backward,parameters,activations,output\n";

/// What the refusal of a text says.
std::string refusal(const std::string& text) {
  try {
    (void)parse_csv(text, "f.csv");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a plain list, with and without its header") {
  const auto with = parse_csv("time\n1\n2.5\n", "f.csv");
  CHECK(with.weights_only);
  CHECK(with.times() == std::vector<double>{1, 2.5});
  CHECK(with.layers[1].name == "1");
  CHECK(parse_csv("1\r\n2.5", "f.csv") == with);
  CHECK(parse_csv("\"time\"\n 1 \n\n2.5\n", "f.csv") == with);
}

TEST_CASE("layers with all their columns, in any order, with quotes") {
  const auto model = parse_csv(header + "\"a, \"\"b\"\"\",decoder,1,2,3,4,5\n", "f.csv");
  REQUIRE(model.layers.size() == 1);
  CHECK(!model.weights_only);
  CHECK(model.layers[0] == stagecut::layer{"a, \"b\"", "decoder", 1, 2, 3, 4, 5});
  CHECK(parse_csv("output, activations,parameters,backward,forward,kind,name\n5,4,3,2,1,decoder,\"a, \"\"b\"\"\"\n",
                  "f") == model);
}

TEST_CASE("each mistake is named with its line, field and value") {
  CHECK(refusal("") == "f.csv: is empty");
  CHECK(refusal("\n \n") == "f.csv: is empty");
  CHECK(refusal("time\n") == "f.csv: names no layer");
  CHECK(refusal(header) == "f.csv: names no layer");
  CHECK(refusal("time\n1\nx\n") == "f.csv:3: time: \"x\" is not a number");
  CHECK(refusal("time\n1,2\n") == "f.csv:2: time: \"1,2\" is not a number");
  CHECK(refusal("1\n-2\n") == "f.csv:2: time: \"-2\" is negative");
  CHECK(refusal("name,size\n") ==
        "f.csv:1: no column is a figure of a layer, as forward, backward_ms, parameters or memory_mb are, and column "
        "\"size\" is none");
  CHECK(refusal("fwd\n") == "f.csv: names no layer");
  CHECK(refusal("fwd,x\n1\n") == "f.csv:2: 1 fields, and the header names 2");
  CHECK(refusal("fwd (ms);x\n1,5;2\n") == "f.csv:2: fwd (ms): \"1,5\" is not a number");
  CHECK(refusal("mem_gb\n1\n1e300\n") == "f.csv:3: mem_gb: \"1e300\" is out of range");
  CHECK(refusal("dgrad,wgrad\n1e308,1e308\n") == "f.csv:2: backward_input + backward_weight is out of range");
  CHECK(refusal("name,name\n") == "f.csv:1: column \"name\" stands twice");
  CHECK(refusal(header + "a,b,1,2,3,4\n") == "f.csv:2: 6 fields, and the header names 7");
  CHECK(refusal(header + "a,b,1,2,3,4,5\n\na,b,1,nan,3,4,5\n") == "f.csv:4: backward: \"nan\" is NaN");
  CHECK(refusal(header + "a,b,1e308,1e308,3,4,5\n") == "f.csv:2: forward + backward is out of range");
  CHECK(refusal(header + "\"a,b,1,2,3,4,5\n") == "f.csv:2: the quote of field 1 is not closed");
  CHECK(refusal(header + "\"a\"b,b,1,2,3,4,5\n") == "f.csv:2: text after the closing quote of field 1");
}

TEST_CASE("tables as people have them") {
  const auto five = parse_csv(
      "Layer;Type;Fwd (ms);Bwd (ms);Mem (MiB);# params;note\n"
      "embed;embedding;1;2;3;500;x\nhead;\"a;b\";4;5;6;0;\n",
      "f.csv");
  REQUIRE(five.layers.size() == 2);
  CHECK(five.layers[0] == stagecut::layer{"embed", "embedding", 1e-3, 2e-3, 1000, 3 * 1048576.0, 0});
  CHECK(five.layers[1] == stagecut::layer{"head", "a;b", 4e-3, 5e-3, 0, 6 * 1048576.0, 0});
  const auto split = parse_csv("wgrad_us\tdgrad_us\tworkspace_kb\tresident\tout\n1\t2\t3\t4 GB\t5\n", "f.csv");
  CHECK(split.layers[0].name == "0");
  CHECK(split.layers[0].backward == 1e-6 + 2e-6);
  CHECK(split.layers[0].backward_weight == 1e-6);
  CHECK(split.layers[0].backward_input == 2e-6);
  CHECK(split.layers[0].workspace == 3000);
  CHECK(split.layers[0].resident == 4e9);
  CHECK(split.layers[0].output == 5);
  CHECK(parse_csv("bwd,dgrad,wgrad\n5,1,2\n", "f.csv").layers[0].backward == 5);
  const auto one = parse_csv("latency_ms\n2\n", "f.csv");
  CHECK(!one.weights_only);
  CHECK(one.times() == std::vector<double>{2e-3});
}

TEST_CASE("layers are read back as they were written, without what a CSV does not hold") {
  random_plans random(4);
  for (int round = 0; round < 1000; ++round) {
    stagecut::profile model;
    for (const auto& layer : random.profile().layers) {
      model.layers.push_back(
          {layer.name, layer.kind, layer.forward, layer.backward, layer.parameters, layer.activations, layer.output});
      for (std::string* text : {&model.layers.back().name, &model.layers.back().kind}) {
        for (char& c : *text) c = c == '\n' ? ' ' : c;
      }
    }
    REQUIRE(parse_csv(as_csv(model), "f.csv") == model);
  }
}

TEST_CASE("the form in which layers are written") {
  stagecut::profile model;
  model.name = "left out";
  model.layers = {{"a, \"b\"", "x\ny", 0.1, 5e-324, 1e300, 3, 1e15}, {" a", "b ", 0, 0, 0, 0, 0}};
  model.layers[0].group = "left out";
  CHECK(as_csv(model) == header + "\"a, \"\"b\"\"\",\"x y\",0.1,5e-324,1e+300,3,1e+15\n\" a\",\"b \",0,0,0,0,0\n");
  model.weights_only = true;
  CHECK(as_csv(model) == "time\n0.1\n0\n");
  const auto weights = parse_csv("1\n2.5\n", "f.csv");
  CHECK(parse_csv(as_csv(weights), "f.csv") == weights);
}

TEST_CASE("shared parameters count in the first layer that has them") {
  stagecut::profile model;
  model.layers.resize(3);
  model.layers[0].tied = model.layers[2].tied = {{"w", 5, std::nullopt, {}}};
  model.layers[2].tied.push_back({"v", 2, std::nullopt, {}});
  model.layers[2].parameters = 1;
  const auto read = parse_csv(as_csv(model), "f.csv");
  CHECK(read.layers[0].parameters == 5);
  CHECK(read.layers[1].parameters == 0);
  CHECK(read.layers[2].parameters == 3);
}

TEST_CASE("what is no chain has no such form") {
  stagecut::profile model;
  model.layers.resize(2);
  model.edges = {{0, 1}};
  CHECK_THROWS_WITH_AS((void)as_csv(model), "stagecut::io::as_csv: model.edges = a graph, must be a chain",
                       stagecut::argument_error);
  model.edges.clear();
  model.layers[0].children = {1};
  CHECK_THROWS_WITH_AS((void)as_csv(model), "stagecut::io::as_csv: model.layers = a tree, must be a chain",
                       stagecut::argument_error);
}
