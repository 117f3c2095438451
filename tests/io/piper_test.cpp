// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/io/graphs/piper_plan.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/plan/plan.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "worked_plan.hpp"
#include "workload_files.hpp"

#include <stagecut/io/file.hpp>

using namespace stagecut;

namespace {

std::string variant(const std::string& id, const std::string& received, const std::string& sent) {
  return R"({"id": ")" + id +
         R"(", "timePerSample": 1.5, "parameterSize": 8, "memoryUsageA": 9.25, "memoryUsageB": 2, )" +
         R"("syncTimeFw": {)" + received + R"(}, "syncTimeBw": {)" + sent + "}}";
}

std::string node(const std::string& id, const std::string& variants) {
  return R"({"id": )" + id + R"(, "TMPCs": {)" + variants + "}}";
}

std::string graph(const std::string& nodes, const std::string& edges, const std::string& more = R"("bandwidth": 4, )") {
  return "{" + more + R"("maxMemoryPerDevice": 100, "maxDevices": 2, "mbsInBatch": 6, "nodes": [)" + nodes +
         R"(], "edges": [)" + edges + "]}";
}

std::string edge(int from, int to, const std::string& bytes = "32") {
  return R"({"sourceId": )" + std::to_string(from) + R"(, "destId": )" + std::to_string(to) +
         R"(, "communicationCost": )" + bytes + "}";
}

const std::string sends = node("7", R"("1": [)" + variant("v", "", R"("3": 5)") + "]");
const std::string receives = node("3", R"("1": [)" + variant("v", R"("7": 4)", "") + "]");
const std::string two = sends + ", " + receives;

std::string refused(const std::string& text) {
  return refusal<invalid_input>([&] { return io::parse_piper(text, "g"); });
}

}  // namespace

TEST_CASE("a graph of Piper's") {
  const auto made = io::parse_piper(graph(two, edge(7, 3)), "g");
  CHECK(made.memory == 100);
  CHECK(made.devices == 2);
  CHECK(made.microbatches == 6);
  CHECK(made.bandwidth == 4);
  REQUIRE(made.layers.size() == 2);
  CHECK(made.layers[0] == variant_layer{7, "", {{1, {{"v", 1.5, 8, 9.25, 2, {}, {5}}}}}});
  CHECK(made.layers[1] == variant_layer{3, "", {{1, {{"v", 1.5, 8, 9.25, 2, {4}, {}}}}}});
  CHECK(made.edges == std::vector<variant_edge>{{0, 1, 32}});
}

TEST_CASE("messages among devices are in the order of the edges") {
  const std::string last = node("1", R"("1": [)" + variant("v", R"("3": 30, "7": 70)", "") + "]");
  const std::string first = node("7", R"("1": [)" + variant("v", "", R"("1": 1)") + "]");
  const std::string second = node("3", R"("1": [)" + variant("v", "", R"("1": 2)") + "]");
  const auto made = io::parse_piper(graph(last + "," + first + "," + second, edge(7, 1) + "," + edge(3, 1)), "g");
  CHECK(made.layers[0].divided[0].variants[0].received_bytes == std::vector<double>{70, 30});
}

TEST_CASE("the number of microbatches has another name in the text that came with the files") {
  std::string text = graph(two, edge(7, 3));
  text.replace(text.find("mbsInBatch"), 10, "maxBatchSize");
  CHECK(io::parse_piper(text, "g").microbatches == 6);
  text.insert(1, R"("mbsInBatch": 4, )");
  CHECK(io::parse_piper(text, "g").microbatches == 4);
  text = graph(two, edge(7, 3));
  text.replace(text.find("mbsInBatch"), 10, "batches");
  CHECK(refused(text) == "g: \"mbsInBatch\" is missing");
}

TEST_CASE("what is refused, and where") {
  CHECK(refused("{") == "g:1: no JSON: the text ends too early");
  CHECK(refused(graph(two, edge(7, 3), "")) == "g: \"bandwidth\" is missing");
  CHECK(refused(graph(two, edge(7, 3), R"("bandwidth": 0, )")) == "g#/bandwidth: 0: nothing would be sent");
  CHECK(refused(graph("", "")) == "g#/nodes: names no node");
  CHECK(refused(graph(sends + "," + sends, "")) == "g#/nodes/1/id: 7 is the id of another node, too");
  CHECK(refused(graph(two, edge(7, 5))) == "g#/edges/0/destId: there is no node of id 5");
  CHECK(refused(graph(two, edge(7, 7))) == "g#/edges/0: leads from a node to itself");
  CHECK(refused(graph(two, edge(7, 3) + "," + edge(7, 3))) == "g#/edges/1: stands twice");
  CHECK(refused(graph(two, edge(7, 3) + "," + edge(3, 7))) ==
        "g#/edges: a cycle of 2 nodes leads through the one of id 7");
  CHECK(refused(graph(two, edge(7, 3, "-1"))) == "g#/edges/0/communicationCost: -1 is negative");
  CHECK(refused(graph(two, "")) == "g#/nodes/0/TMPCs/1/0/syncTimeBw/3: there is no such edge");
  CHECK(refused(graph(sends + "," + node("3", R"("1": [)" + variant("v", "", "") + "]"), edge(7, 3))) ==
        "g#/nodes/1/TMPCs/1/0/syncTimeFw: the edge from or to node 7 is missing");
  const std::string one = variant("v", "", "");
  CHECK(refused(graph(node("3", R"("x": [)" + one + "]"), "")) ==
        "g#/nodes/0/TMPCs/x: its key is no whole number below 10^9");
  CHECK(refused(graph(node("3", R"("01": [)" + one + "]"), "")) ==
        "g#/nodes/0/TMPCs/01: its key is no whole number below 10^9");
  CHECK(refused(graph(node("3", R"("0": [)" + one + "]"), "")) ==
        "g#/nodes/0/TMPCs/0: is for no number of devices from 1 to 1000000");
  CHECK(refused(graph(node("3", R"("1": [)" + one + "," + one + "]"), "")) ==
        "g#/nodes/0/TMPCs/1/1/id: \"v\" is the id of another one, too");
  CHECK(refused(graph(node("3", R"("1": [)" + variant("", "", "") + "]"), "")) == "g#/nodes/0/TMPCs/1/0/id: is empty");
}

TEST_CASE("a plan is written as Piper's own program does") {
  const auto made = io::parse_piper(graph(two, edge(7, 3)), "g");
  const std::string text = io::as_piper_plan(made, {{{0}, 2, 1, {0}}, {{1}, 3, 1, {0}}});
  CHECK(text == R"({"stages": [
  {"nodes": [7], "dataParallelDegree": 2, "tensorParallelDegree": 1, "TMPCids": [[7, "v"]]},
  {"nodes": [3], "dataParallelDegree": 3, "tensorParallelDegree": 1, "TMPCids": [[3, "v"]]}
]})");
  // That program hands a map of this type to the library that it has JSON from.
  const std::unordered_map<int, std::string> names{{7, "v"}};
  CHECK(nlohmann::json(names) == nlohmann::json::parse(text)["stages"][0]["TMPCids"]);
}

TEST_CASE("any plan is written by the numbers of its layers") {
  plan made = worked_plan();
  made.stages[1].replicas = 2;
  made.stages[1].tensor_parallel = 4;
  made.choices.resize(made.profile.layers.size());
  layer_variant way;
  way.name = "tp4";
  way.tensor_parallel = 4;
  made.profile.layers[6].shardings = std::vector<layer_variant>{way};
  way.tensor_parallel = 1;
  way.name = "full";
  made.profile.layers[7].recomputations = std::vector<layer_variant>{way};
  made.choices[6].sharding = "tp4";
  made.choices[7].recomputation = "full";
  const auto written = nlohmann::json::parse(io::as_piper(made));
  REQUIRE(written["stages"].size() == 4);
  const auto& stage = written["stages"][1];
  CHECK(stage["nodes"] == nlohmann::json({6, 7, 8, 9, 10, 11}));
  CHECK(stage["dataParallelDegree"] == 2);
  CHECK(stage["tensorParallelDegree"] == 4);
  CHECK(stage["TMPCids"].dump() ==
        R"([[6,"tp4"],[7,"full"],[8,"vanilla"],[9,"vanilla"],[10,"vanilla"],[11,"vanilla"]])");
  way.name = made.choices[7].recomputation = "\xff";
  made.profile.layers[7].recomputations = std::vector<layer_variant>{way};
  CHECK(refusal<argument_error>([&] { return io::as_piper(made); }) ==
        "stagecut::io::as_piper: plan#/choices/7 = \"\\xff\", must be UTF-8");
  CHECK_THROWS_AS((void)io::as_piper(inconsistent()), argument_error);
}

TEST_CASE("a graph of Piper's is told from other files") {
  const std::string text = graph(two, edge(7, 3));
  CHECK(io::is_piper(text));
  CHECK(!io::is_piper(text.substr(1)));
  CHECK(!io::is_piper(R"({"schema": "stagecut-profile-2", "nodes": [], "edges": [], "maxMemoryPerDevice": 1})"));
  CHECK(!io::is_piper("\"maxMemoryPerDevice\""));
  CHECK(refusal<invalid_input>([&] { return io::parse_profile(text, "g"); }) ==
        "g: is a graph of Piper's, whose layers have several ways to run, and no profile");
}

TEST_CASE("plans that the graph has not are not written") {
  const auto made = io::parse_piper(graph(two, edge(7, 3)), "g");
  const auto said = [&](const variant_stage& stage) {
    return refusal<argument_error>([&] { return io::as_piper_plan(made, {stage}); });
  };
  CHECK(said({{2}, 1, 1, {0}}) ==
        "stagecut::io::as_piper_plan: stages[0].layers = 2, must be below the number of layers");
  CHECK(said({{0}, 1, 1, {}}) == "stagecut::io::as_piper_plan: stages[0].variants = 0, must be one of each layer");
  CHECK(
      said({{0}, 1, 2, {0}}) ==
      "stagecut::io::as_piper_plan: stages[0].variants = 0, must be a variant of the layer on this number of devices");
  CHECK(
      said({{0}, 1, 1, {1}}) ==
      "stagecut::io::as_piper_plan: stages[0].variants = 1, must be a variant of the layer on this number of devices");
}

TEST_CASE("the files that were published") {
  std::size_t layers = 0;
  for (const std::string& path : workload_files({"piper"}, ".json")) {
    const auto made = io::parse_piper(io::file_text(path), path);
    layers += made.layers.size();
    CHECK(made.microbatches > 0);
  }
  CHECK((layers == 0 || layers == 37 + 78 + 177));
}
