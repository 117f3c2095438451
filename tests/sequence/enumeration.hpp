// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// Slow and obvious: all cuts of a chain, to compare with.
namespace oracle {

/// Cut points with their value.
template <class Value>
using valued = std::optional<std::pair<std::vector<std::size_t>, Value>>;

/// Calls `visit(points)` for all cuts of `[0, items)` into allowed stages, in lexicographic order.
template <class Allowed, class Visit>
void for_each_cut(std::size_t items, std::size_t stages, stagecut::empty_stages empty, const Allowed& allowed,
                  const Visit& visit) {
  const std::size_t gap = empty == stagecut::empty_stages::allowed ? 0 : 1;
  std::vector<std::size_t> points{0};
  const auto extend = [&](const auto& self) -> void {
    const std::size_t stage = points.size() - 1;
    const std::size_t first = points.back();
    if (stage == stages) return visit(points);
    for (std::size_t last = stage + 1 == stages ? items : first + gap; last <= items; ++last) {
      if (last < first + gap || !allowed(stage, first, last)) continue;
      points.push_back(last);
      self(self);
      points.pop_back();
    }
  };
  extend(extend);
}

/// The first of the cuts with the least `value(points)`; none if there is no cut.
template <class Allowed, class Value>
auto best_cut(std::size_t items, std::size_t stages, stagecut::empty_stages empty, const Allowed& allowed,
              const Value& value) {
  valued<std::remove_cvref_t<decltype(value(std::vector<std::size_t>()))>> best;
  for_each_cut(items, stages, empty, allowed, [&](const std::vector<std::size_t>& points) {
    auto here = value(points);
    if (!best || here < best->second) best.emplace(points, std::move(here));
  });
  return best;
}

/// What every stage costs.
template <class Model>
std::vector<stagecut::cost_t<Model>> stage_costs(const Model& cost, const std::vector<std::size_t>& points) {
  std::vector<stagecut::cost_t<Model>> costs;
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    costs.push_back(stagecut::detail::price(cost, s, points[s], points[s + 1]));
  }
  return costs;
}

/// What the costs of stages come to.
/// @{
inline constexpr auto worst = [](const auto& costs) { return *std::max_element(costs.begin(), costs.end()); };
inline constexpr auto spread = [](const auto& costs) {
  return worst(costs) - *std::min_element(costs.begin(), costs.end());
};
inline constexpr auto sum = [](auto costs) {
  for (std::size_t s = costs.size() - 1; s-- > 0;) costs[s] += costs[s + 1];
  return costs[0];
};
inline constexpr auto descending = [](auto costs) {
  std::sort(costs.begin(), costs.end(), std::greater<>());
  return costs;
};
/// @}

/// The first of the best cuts by what the costs of its stages come to.
template <class Model, class Allowed, class Objective>
auto best_cut_of(const Model& cost, std::size_t stages, stagecut::empty_stages empty, const Allowed& allowed,
                 const Objective& objective) {
  return best_cut(cost.size(), stages, empty, allowed,
                  [&](const std::vector<std::size_t>& points) { return objective(stage_costs(cost, points)); });
}

/// Allows everything.
inline constexpr auto anything = [](std::size_t, std::size_t, std::size_t) { return true; };

/// Fails unless an answer is the expected one, value, bound and cut points; whether there is one.
template <class Cost, class Value>
bool agree(const stagecut::outcome<stagecut::chain_partition<Cost>>& answer, const valued<Value>& expected) {
  REQUIRE(answer.has_value() == expected.has_value());
  if (!expected) {
    REQUIRE(answer.state() == stagecut::state::infeasible);
    return false;
  }
  REQUIRE(answer.state() == stagecut::state::optimal);
  REQUIRE(answer->value == expected->second);
  REQUIRE(answer->bound == expected->second);
  const auto points = answer->cuts.points();
  REQUIRE(std::equal(expected->first.begin(), expected->first.end(), points.begin(), points.end()));
  return true;
}

}  // namespace oracle
