// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include <stagecut/graph/operator_graph.hpp>

/// Published graphs, in the format of J. Tarnawski et al., as far as tests need it.
namespace oracle {

using nlohmann::json;

/// The folder STAGECUT_WORKLOADS, where it holds the reference.
inline std::optional<std::filesystem::path> workloads() {
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

inline json parsed(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return json::parse(file);
}

/// Seconds are milliseconds.
struct published_problem {
  stagecut::operator_graph graph{};
  double memory = 0;
};

inline bool is_true(const json& value) { return value.is_boolean() ? value.get<bool>() : value.get<double>() != 0; }

/// A graph and the memory of its accelerators.
inline published_problem read_problem(const std::filesystem::path& path) {
  const json text = parsed(path);
  published_problem result;
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
    result.graph.operators[from].sent_seconds = edge.at("cost");
  }
  return result;
}

}  // namespace oracle
