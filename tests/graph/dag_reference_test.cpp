// SPDX-License-Identifier: BSL-1.0
// The least loads of published graphs, which other programs have proved.
#include <stagecut/graph/minimize_load.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

using nlohmann::json;
using stagecut::state;

namespace {

/// The folder STAGECUT_WORKLOADS, where it holds the reference.
std::optional<std::filesystem::path> workloads() {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return std::nullopt;
  }
  if (!std::filesystem::exists(std::filesystem::path(folder) / "dag_reference.json")) {
    MESSAGE("skipped: there is no dag_reference.json in ", folder);
    return std::nullopt;
  }
  return folder;
}

json parsed(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return json::parse(file);
}

struct stated_graph {
  stagecut::operator_graph graph{};
  double memory = 0;
};

bool is_true(const json& value) { return value.is_boolean() ? value.get<bool>() : value.get<double>() != 0; }

/// A graph in the format of J. Tarnawski et al., as far as the test needs it.
stated_graph read_graph(const json& text) {
  stated_graph result;
  result.memory = text.at("maxSizePerFPGA");
  std::map<long, std::size_t> number;
  for (const json& node : text.at("nodes")) {
    stagecut::graph_operator each;
    each.is_backward = is_true(node.at("isBackwardNode"));
    (each.is_backward ? each.backward : each.forward) = node.at("fpgaLatency");
    each.cpu = node.at("cpuLatency");
    each.on_cpu = true;
    each.on_accelerator = is_true(node.at("supportedOnFpga"));
    each.resident = node.at("size");
    if (node.contains("colorClass")) each.group = node.at("colorClass").get<std::size_t>();
    number[node.at("id").get<long>()] = result.graph.operators.size();
    result.graph.operators.push_back(each);
  }
  for (const json& edge : text.at("edges")) {
    const std::size_t from = number.at(edge.at("sourceId").get<long>());
    result.graph.edges.push_back({from, number.at(edge.at("destId").get<long>())});
    result.graph.operators[from].sent = edge.at("cost");
  }
  return result;
}

/// Where the reference says `throughput-inputs/LayerGraphs/X`, the workloads have `dnn-partitioning/layer/X`.
std::filesystem::path path_of(const std::filesystem::path& folder, const std::string& file) {
  const bool layers = file.find("LayerGraphs") != std::string::npos;
  return folder / "dnn-partitioning" / (layers ? "layer" : "operator") / std::filesystem::path(file).filename();
}

}  // namespace

TEST_CASE("every least load of the reference is found and proved, and what is infeasible is proved so") {
  const auto folder = workloads();
  if (!folder) return;
  int optimal = 0;
  int infeasible = 0;
  std::map<std::string, stated_graph> known;
  const json reference = parsed(*folder / "dag_reference.json");
  for (const json& each : reference.at("cases")) {
    const std::string file = each.at("file");
    const std::string tag = each.at("tag");
    if (known.count(file) == 0) known[file] = read_graph(parsed(path_of(*folder, file)));
    const stated_graph& stated = known[file];
    stagecut::load_request request{.devices = each.at("K"), .cpus = each.at("C"), .at_most = true};
    request.load.memory = stated.memory;
    request.limits.time_limit = 100;
    const auto found = stagecut::minimize_load(stated.graph, request);
    CAPTURE(file);
    CAPTURE(tag);
    CAPTURE(request.devices);
    if (each.at("opt").is_null()) {
      CHECK(found.state() == state::infeasible);
      ++infeasible;
      continue;
    }
    const double right = each.at("opt");
    CHECK(found.state() == state::optimal);
    REQUIRE(found);
    CHECK(std::abs(found->load - right) <= 1e-9 * right);
    CHECK(found->bound == found->load);
    ++optimal;
  }
  CHECK(optimal > 20);
  MESSAGE(optimal, " optimal, ", infeasible, " infeasible");
}
