// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>

// The layers of stages, their variants, and the edges between stages, in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// @param stages_per_rank  with several, stages may be empty
inline cuts read_cuts(const json_value& value, std::size_t stages_per_rank) {
  std::vector<std::size_t> points;
  for (const json_value& element : value.elements()) {
    const std::size_t point = element.count();
    if (points.empty() && point != 0) element.fail(element.shown(), " is not 0");
    if (!points.empty() && point <= points.back()) {
      if (stages_per_rank < 2 || point < points.back())
        element.fail(element.shown(), " is not above the point before it");
    }
    points.push_back(point);
  }
  if (points.empty()) value.fail("holds no point");
  return cuts(std::move(points), empty_stages::allowed);
}

inline std::vector<std::size_t> read_assignment(const json_value& value) {
  std::vector<std::size_t> result;
  for (const json_value& element : value.elements()) result.push_back(element.count());
  if (result.empty()) value.fail("holds no stage");
  return result;
}

inline std::vector<planned_edge> read_stage_edges(const json_value& value) {
  std::vector<planned_edge> result;
  for (const json_value& element : value.elements()) {
    result.push_back({element.at("from").count(), element.at("to").count(), element.at("bytes").amount()});
    element.only({"from", "to", "bytes"});
  }
  if (result.empty()) value.fail("holds no edge; a chain goes without \"edges\"");
  return result;
}

inline std::vector<layer_choice> read_choices(const json_value& value) {
  std::vector<layer_choice> result;
  for (const json_value& element : value.elements()) {
    layer_choice& choice = result.emplace_back();
    if (const auto name = element.find("recomputation")) choice.recomputation = name->text();
    if (const auto name = element.find("sharding")) choice.sharding = name->text();
    element.only({"recomputation", "sharding"});
  }
  if (result.empty()) value.fail("holds no choice");
  return result;
}

inline json stage_edges_json(const std::vector<planned_edge>& edges) {
  json result = json::array();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    json_object object(joined({"plan#/edges/", e}));
    object.set("from", edges[e].from);
    object.set("to", edges[e].to);
    object.amount("bytes", edges[e].bytes);
    result.push_back(object.members());
  }
  return result;
}

inline json choices_json(const std::vector<layer_choice>& choices) {
  json result = json::array();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    json_object object(joined({"plan#/choices/", i}));
    object.text_if_any("recomputation", choices[i].recomputation);
    object.text_if_any("sharding", choices[i].sharding);
    result.push_back(object.members());
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
