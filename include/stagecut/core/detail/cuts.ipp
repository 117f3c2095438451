// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL cuts::cuts() : points_{0} {}

STAGECUT_DECL cuts cuts::from_sizes(view<const std::size_t> sizes, empty_stages empty) {
  cuts result;
  for (const std::size_t size : sizes) result.points_.push_back(result.points_.back() + size);
  check("sizes", result.points_, empty);
  return result;
}

STAGECUT_DECL cuts cuts::from_boundaries(std::size_t items, view<const std::size_t> boundaries, empty_stages empty) {
  cuts result;
  result.points_.insert(result.points_.end(), boundaries.begin(), boundaries.end());
  result.points_.push_back(items);
  check("boundaries", result.points_, empty);
  return result;
}

STAGECUT_DECL cuts cuts::from_assignment(view<const std::size_t> stages) {
  cuts result;
  for (std::size_t item = 0; item < stages.size(); ++item) {
    const std::size_t before = item == 0 ? 0 : stages[item - 1];
    if (stages[item] != before && (item == 0 || stages[item] != before + 1)) {
      detail::fail(argument_error("cuts::from_assignment", element("stages", item), std::to_string(stages[item]),
                                  item == 0 ? "must be 0" : "must be the stage of the item before it or the next"));
    }
    if (item != 0 && stages[item] != before) result.points_.push_back(item);
  }
  if (!stages.empty()) result.points_.push_back(stages.size());
  return result;
}

STAGECUT_DECL void cuts::assign(view<const std::size_t> points, empty_stages empty) {
  check("points", points, empty);
  points_.assign(points.begin(), points.end());
}

STAGECUT_DECL std::vector<std::size_t> cuts::sizes() const {
  std::vector<std::size_t> result;
  result.reserve(stages());
  for (std::size_t s = 0; s < stages(); ++s) result.push_back(stage(s).size());
  return result;
}

STAGECUT_DECL std::vector<std::size_t> cuts::assignment() const {
  std::vector<std::size_t> result;
  result.reserve(items());
  for (std::size_t s = 0; s < stages(); ++s) result.insert(result.end(), stage(s).size(), s);
  return result;
}

STAGECUT_DECL std::string cuts::element(std::string_view name, std::size_t index) {
  return detail::joined({name, "[", index, "]"});
}

STAGECUT_DECL void cuts::check(std::string_view argument, view<const std::size_t> points, empty_stages empty) {
  if (points.empty()) detail::fail(argument_error("cuts", argument, "{}", "must hold at least one point"));
  if (points[0] != 0) {
    detail::fail(argument_error("cuts", element(argument, 0), std::to_string(points[0]), "must be 0"));
  }
  for (std::size_t s = 1; s < points.size(); ++s) {
    if (points[s] > points[s - 1] || (points[s] == points[s - 1] && empty == empty_stages::allowed)) continue;
    if (argument == "sizes") {
      detail::fail(argument_error("cuts", element(argument, s - 1), std::to_string(points[s] - points[s - 1]),
                                  "must be at least 1, and the sum representable"));
    }
    const bool items = argument == "boundaries" && s + 1 == points.size();
    detail::fail(argument_error("cuts", items ? "items" : element(argument, argument == "points" ? s : s - 1),
                                std::to_string(points[s]),
                                detail::joined({"must be above the point before it, ", points[s - 1]})));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
