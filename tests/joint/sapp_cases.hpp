// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/io/json/sapp_layers.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace joint_tests {

using nlohmann::json;

constexpr double megabyte = 1048576;

/// The reference cases of SAPP, where STAGECUT_WORKLOADS names a folder of them.
inline std::optional<json> sapp_cases() {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return std::nullopt;
  }
  const auto path = std::filesystem::path(folder) / "sapp" / "cases.json";
  std::ifstream file(path);
  if (!file) {
    MESSAGE("skipped: there is no ", path.string());
    return std::nullopt;
  }
  return json::parse(file);
}

/// What SAPP was given, in seconds and bytes. @throws invalid_input for layers that its files may not have
struct sapp_case {
  std::string name;
  json source;
  stagecut::recompute_model model;
  stagecut::recompute_request request;

  explicit sapp_case(const json& from) : name(from.at("name").get<std::string>()), source(from) {
    const json& input = from.at("input");
    const json text = {{"name", name},
                       {"stage_const_mem", input.at("stage_const_mem_mb")},
                       {"layers_description", input.at("layers")}};
    const auto read = stagecut::io::read_sapp_layers(text.dump(), name);
    model = stagecut::as_recompute_model(read.profile).model;
    request.constant = read.constant;
    const auto number = [&](const char* of) { return input.at(of).get<std::size_t>(); };
    const bool less = input.at("less_memory").get<bool>();
    request.schedule = number("vpp") == 1
                        ? stagecut::one_forward_one_backward(number("pp"), number("micro_batches"))
                        : stagecut::sapp_interleaved(number("pp"), number("vpp"), number("micro_batches"),
                                                     less ? stagecut::sapp_memory::less : stagecut::sapp_memory::big);
    if (input.contains("mem_limit_mb")) request.memory_limit = input.at("mem_limit_mb").get<double>() * megabyte;
    request.search.time_limit.reset();
  }
};

/// A plan: where the layers are cut, and the choice of each.
struct strategy {
  stagecut::cuts cuts;
  std::vector<std::size_t> choices;
};

/// Numbers of all chunks, by stage.
inline std::vector<std::size_t> flat_counts(const json& rows) {
  std::vector<std::size_t> result;
  for (const json& row : rows) {
    for (const json& each : row) result.push_back(each.get<std::size_t>());
  }
  return result;
}

/// How many layers of each body a chunk runs with which type, as SAPP writes it.
inline strategy strategy_of(const sapp_case& of, const json& layers) {
  constexpr std::array<std::pair<const char*, const char*>, 5> words{
      {{"FULL", "full"}, {"BOTH", "both"}, {"COMM", "comm"}, {"SLCT", "select"}, {"NONE", "none"}}};
  const std::size_t stages = of.request.schedule.stages();
  std::vector<std::vector<std::size_t>> chosen(stages);
  std::size_t type = 0;
  for (const json& layer : of.source.at("input").at("layers")) {
    if (layer.at("type") != "BODY") continue;
    const json& counts = layers.contains("NONE") ? layers : layers.at(layer.at("name").get<std::string>());
    const auto& choices = of.model.types.at(type++).choices;
    for (const auto& [theirs, ours] : words) {
      if (!counts.contains(theirs)) continue;
      const auto flat = flat_counts(counts.at(theirs));
      REQUIRE(flat.size() == stages);
      for (std::size_t s = 0; s < stages; ++s) {
        if (flat[s] == 0) continue;
        std::size_t r = 0;
        while (r < choices.size() && choices[r].name != ours) ++r;
        REQUIRE(r < choices.size());
        chosen[s].insert(chosen[s].end(), flat[s], r);
      }
    }
  }
  std::vector<std::size_t> points{0};
  strategy result;
  for (const auto& each : chosen) {
    points.push_back(points.back() + each.size());
    result.choices.insert(result.choices.end(), each.begin(), each.end());
  }
  REQUIRE(points.back() == of.model.layers.size());
  result.cuts = stagecut::cuts(points, stagecut::empty_stages::allowed);
  return result;
}

}  // namespace joint_tests
