// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/graphs/dnn_partitioning.hpp>

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/json_profile.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <map>
#include <string>

#include "../refusal.hpp"
#include "workload_files.hpp"

using stagecut::io::parse_dnn_partitioning;

namespace {

const std::string limits = R"("maxFPGAs": 6, "maxCPUs": 1, "maxSizePerFPGA": 1024.0)";

std::string graph(const std::string& nodes, const std::string& edges) {
  return R"({"nodes": [)" + nodes + R"(], "edges": [)" + edges + "], " + limits + "}";
}

std::string refused(const std::string& nodes, const std::string& edges) {
  return refusal<stagecut::invalid_input>([&] { return parse_dnn_partitioning(graph(nodes, edges), "g"); });
}

const std::string two =
    R"({"id": 7, "fpgaLatency": 1, "cpuLatency": 10}, {"id": 3, "fpgaLatency": 2, "cpuLatency": 20})";

std::string edge(int from, int to, const std::string& cost = "0.5") {
  return R"({"sourceId": )" + std::to_string(from) + R"(, "destId": )" + std::to_string(to) + R"(, "cost": )" + cost +
         "}";
}

}  // namespace

TEST_CASE("a graph of dnn-partitioning, in seconds and bytes") {
  const auto model = parse_dnn_partitioning(
      R"({"nodes": [
        {"id": 7, "name": "a", "fpgaLatency": 1.5, "cpuLatency": 15, "size": 96.0, "colorClass": 2, "isBackwardNode": 0,
         "supportedOnFpga": 1, "layerId": 4},
        {"id": 3, "name": "op", "fpgaLatency": 2, "cpuLatency": 0, "isBackwardNode": true, "colorClass": -2},
        {"id": "x", "name": "op", "cpuLatency": 4, "supportedOnFpga": false, "output": 5}
      ], "edges": [
        {"sourceId": 3, "destId": "x", "cost": 0.25, "size": 9},
        {"sourceId": 7, "destId": 3, "cost": 0.3}, {"sourceId": 7, "destId": "x", "cost": 0.3000001}
      ], "maxFPGAs": 6, "maxCPUs": 2, "maxSizePerFPGA": 17185374208.0, "by": "me", "name": "three"})",
      "g");
  REQUIRE(model.layers.size() == 3);
  stagecut::layer a{"a", "", 0.0015};
  a.cpu = 0.015;
  a.resident = 96;
  a.group = "2";
  a.output = 0.0003 * 2147483648.0;
  a.unknown_fields = R"({"id":7,"layerId":4})";
  CHECK(model.layers[0] == a);
  CHECK(model.layers[1].name == "3");
  CHECK(model.layers[1].kind == "op");
  CHECK(model.layers[1].forward == 0);
  CHECK(model.layers[1].backward == 0.002);
  CHECK(model.layers[1].is_backward);
  CHECK(model.layers[1].group == "-2");
  CHECK(model.layers[1].cpu == 0);
  CHECK(model.layers[2].name == "x");
  CHECK_FALSE(model.layers[2].accelerator);
  CHECK(model.layers[2].output == 0);
  CHECK(model.layers[2].unknown_fields == R"({"id":"x"})");
  CHECK(model.edges == std::vector<stagecut::profile_edge>{{1, 2}, {0, 1}, {0, 2}});
  CHECK(model.machine == stagecut::stated_machine{6, 2, 17185374208.0, stagecut::link_speed{0, 2147483648.0}, false});
  CHECK(model.name == "three");
  CHECK(model.unknown_fields == R"({"by":"me"})");
  CHECK(stagecut::io::parse_json_profile(stagecut::io::as_json(model), "again") == model);
}

TEST_CASE("the link takes the cost of an edge for the bytes, to the bit") {
  for (const char* const cost : {"0", "0.1", "0.095703125", "1e-300", "123456.789", "1e300"}) {
    const auto model = parse_dnn_partitioning(graph(two, edge(7, 3, cost)), "g");
    CHECK((*model.machine.link)(model.layers[0].output) == std::stod(cost) / 1000);
  }
}

TEST_CASE("each mistake of a graph of dnn-partitioning is named with its place") {
  CHECK(refused(two, edge(7, 3)) == "not refused");
  CHECK(refused("", "") == "g#/nodes: names no node");
  CHECK(refused("1", "") == "g#/nodes/0: 1 is no object");
  CHECK(refused(R"({"fpgaLatency": 1})", "") == "g#/nodes/0: \"id\" is missing");
  CHECK(refused(R"({"id": 0.5, "fpgaLatency": 1})", "") == "g#/nodes/0/id: 0.5 is no whole number");
  CHECK(refused(R"({"id": 0})", "") == "g#/nodes/0: \"fpgaLatency\" is missing");
  CHECK(refused(R"({"id": 0, "supportedOnFpga": 0})", "") == "not refused");
  CHECK(refused(R"({"id": 0, "fpgaLatency": -1})", "") == "g#/nodes/0/fpgaLatency: -1 is negative");
  CHECK(refused(R"({"id": 0, "fpgaLatency": NaN})", "").starts_with("g#/nodes/0/fpgaLatency: NaN is no number of JSON"));
  CHECK(refused(R"({"id": 0, "fpgaLatency": 1, "cpuLatency": "x"})", "") ==
        "g#/nodes/0/cpuLatency: \"x\" is not a number");
  CHECK(refused(R"({"id": 0, "fpgaLatency": 1, "isBackwardNode": 2})", "") ==
        "g#/nodes/0/isBackwardNode: 2 is neither 0 nor 1");
  CHECK(refused(two + R"(, {"id": 7.0, "fpgaLatency": 0})", edge(7, 3)) ==
        "g#/nodes/2/id: 7.0 is the id of another node, too");
  CHECK(refused(two, "") == "g#/edges: holds no edge, and there are 2 nodes");
  CHECK(refused(two, edge(7, 4)) == "g#/edges/0/destId: there is no node of id 4");
  CHECK(refused(two, edge(0, 3)) == "g#/edges/0/sourceId: there is no node of id 0");
  CHECK(refused(two, R"({"sourceId": 7, "destId": 3})") == "g#/edges/0: \"cost\" is missing");
  CHECK(refused(two, edge(7, 3, "-1")) == "g#/edges/0/cost: -1 is negative");
  CHECK(refused(two, edge(7, 3, "1e307")) == "g#/edges/0/cost: 1e+307 is out of range");
  CHECK(refused(two, edge(7, 7)) == "g#/edges/0: [0, 0] joins a layer to itself");
  CHECK(refused(two, edge(7, 3) + "," + edge(7, 3)) == "g#/edges/1: [0, 1] stands twice");
  CHECK(refused(two, edge(7, 3) + "," + edge(3, 7)) == "g#/edges: \"7\" -> \"3\" -> \"7\" is a cycle");
  const std::string three = two + R"(, {"id": 1, "fpgaLatency": 0})";
  CHECK(refused(three, edge(7, 3, "0.25") + "," + edge(7, 1, "0.26")) ==
        "g#/edges/1/cost: 0.26 is not 0.25, the cost of another edge of its source: a node sends the same along all of "
        "them");
  CHECK(refusal<stagecut::invalid_input>([] {
          return parse_dnn_partitioning(R"({"nodes": [{"id": 1, "fpgaLatency": 1}], "edges": [], "maxFPGAs": 0})", "g");
        }) == "g#/maxFPGAs: 0 is below 1");
}

TEST_CASE("the published graphs are read node by node, edge by edge") {
  for (const std::string& path : workload_files({"dnn-partitioning/layer", "dnn-partitioning/operator"}, ".json")) {
    CAPTURE(path);
    const std::string text = stagecut::io::file_text(path);
    const auto model = parse_dnn_partitioning(text, path);
    const auto raw = nlohmann::json::parse(text);
    const auto& nodes = raw.at("nodes");
    const auto& edges = raw.at("edges");
    REQUIRE(model.layers.size() == nodes.size());
    REQUIRE(model.edges.size() == edges.size());
    std::map<int, std::size_t> number;
    std::size_t different = 0;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      const auto& each = model.layers[v];
      const auto& node = nodes[v];
      number[node.at("id").get<int>()] = v;
      const double seconds = node.at("fpgaLatency").get<double>() / 1000;
      different += each.time() != seconds || each.cpu != node.at("cpuLatency").get<double>() / 1000;
      different += (each.is_backward ? each.backward : each.forward) != seconds;
      different += each.resident != node.at("size").get<double>() || each.name != node.at("name").get<std::string>();
      different += std::string(each.group) !=
                   (node.contains("colorClass") ? std::to_string(node["colorClass"].get<int>()) : std::string());
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      different += model.edges[e].from != number.at(edges[e].at("sourceId").get<int>());
      different += model.edges[e].to != number.at(edges[e].at("destId").get<int>());
      different +=
          (*model.machine.link)(model.layers[model.edges[e].from].output) != edges[e].at("cost").get<double>() / 1000;
    }
    CHECK(different == 0);
    CHECK(model.machine.devices == raw.at("maxFPGAs").get<std::size_t>());
    CHECK(stagecut::io::parse_json_profile(stagecut::io::as_json(model), "again") == model);
  }
}
