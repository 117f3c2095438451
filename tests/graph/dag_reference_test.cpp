// SPDX-License-Identifier: BSL-1.0
// The least loads of published graphs, which other programs have proved.
#include <stagecut/graph/minimize_load.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "published_problem.hpp"

using nlohmann::json;
using stagecut::state;

namespace {

/// Where the reference says `throughput-inputs/LayerGraphs/X`, the workloads have `dnn-partitioning/layer/X`.
std::filesystem::path path_of(const std::filesystem::path& folder, const std::string& file) {
  const bool layers = file.find("LayerGraphs") != std::string::npos;
  return folder / "dnn-partitioning" / (layers ? "layer" : "operator") / std::filesystem::path(file).filename();
}

}  // namespace

TEST_CASE("every least load of the reference is found and proved, and what is infeasible is proved so") {
  const auto folder = oracle::workloads();
  if (!folder) return;
  int optimal = 0;
  int infeasible = 0;
  std::map<std::string, oracle::published_problem> known;
  const json reference = oracle::parsed(*folder / "dag_reference.json");
  for (const json& each : reference.at("cases")) {
    const std::string file = each.at("file");
    const std::string tag = each.at("tag");
    if (known.count(file) == 0) known[file] = oracle::read_problem(path_of(*folder, file));
    const oracle::published_problem& stated = known[file];
    stagecut::load_request request{.devices = each.at("K"), .cpus = each.at("C"), .at_most = true};
    request.load.memory_limit = stated.memory;
    request.search.time_limit = 100;
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
    CHECK(std::abs(found->value - right) <= 1e-9 * right);
    CHECK(found->bound == found->value);
    ++optimal;
  }
  CHECK(optimal > 20);
  MESSAGE(optimal, " optimal, ", infeasible, " infeasible");
}
