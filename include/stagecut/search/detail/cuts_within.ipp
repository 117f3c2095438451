// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/search/cuts_within.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/search/graph_paths.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

STAGECUT_DECL graph_paths cuts_within_fn::operator()(const std::vector<interval>& windows) const {
  check(windows);
  const std::size_t points = windows.size();
  std::vector<std::vector<std::uint32_t>> kept = reachable(windows);
  path_graph graph{.points = points};
  for (std::size_t j = 0; j < points; ++j) graph.places.push_back(static_cast<std::uint32_t>(j));
  if (kept.empty()) return graph_paths();
  check_edges(kept);
  std::uint32_t next = 1;  // the first node of the next step
  for (std::size_t j = 0; j < points; ++j) {
    for (const std::uint32_t at : kept[j]) {
      graph.values.push_back(at);
      graph.first.push_back(static_cast<std::uint32_t>(graph.to.size()));
      if (j + 1 == points) continue;
      for (std::size_t i = 0; i < kept[j + 1].size(); ++i) {
        if (kept[j + 1][i] > at) graph.to.push_back(next + static_cast<std::uint32_t>(i));
      }
    }
    if (j + 1 < points) next += static_cast<std::uint32_t>(kept[j + 1].size());
  }
  graph.first.push_back(static_cast<std::uint32_t>(graph.to.size()));
  return graph_paths(std::move(graph));
}

STAGECUT_DECL void cuts_within_fn::check(const std::vector<interval>& windows) {
  if (windows.size() < 2) {
    stagecut::detail::fail(argument_error("search::cuts_within", "windows.size()", std::to_string(windows.size()),
                                          "must be at least 2: where the first stage begins and the last one ends"));
  }
  for (std::size_t j = 0; j < windows.size(); ++j) {
    const bool end = j == 0 || j + 1 == windows.size();
    const interval& each = windows[j];
    if (each.first > each.last || (end && each.last != each.first + 1) ||
        each.last > std::numeric_limits<std::uint32_t>::max() / 2) {
      stagecut::detail::fail(argument_error(
          "search::cuts_within", stagecut::detail::joined({"windows[", j, "]"}),
          stagecut::detail::joined({"[", each.first, ", ", each.last, ")"}),
          end ? "must hold one point: an end of the chain" : "must not end before it begins, nor lie beyond 2^31"));
    }
  }
}

STAGECUT_DECL void cuts_within_fn::check_edges(const std::vector<std::vector<std::uint32_t>>& kept) {
  std::size_t edges = 0;
  for (std::size_t j = 0; j + 1 < kept.size(); ++j) {
    const std::vector<std::uint32_t>& to = kept[j + 1];
    for (std::size_t i = 0; i < kept[j].size(); ++i) {
      const std::uint32_t at = kept[j][i];
      edges += at < to[0] ? to.size() : at > to.back() ? 0 : to.back() - at;
    }
  }
  if (edges <= std::numeric_limits<std::uint32_t>::max() / 2) return;
  stagecut::detail::fail(argument_error("search::cuts_within", "windows",
                                        stagecut::detail::joined({edges, " pairs of neighbouring points"}),
                                        "must have less than 2^31"));
}

STAGECUT_DECL std::vector<std::vector<std::uint32_t>> cuts_within_fn::reachable(const std::vector<interval>& windows) {
  const std::size_t points = windows.size();
  std::vector<std::size_t> low(points);
  std::vector<std::size_t> high(points);
  for (std::size_t j = 0; j < points; ++j) {
    low[j] = j > 0 && low[j - 1] + 1 > windows[j].first ? low[j - 1] + 1 : windows[j].first;
  }
  for (std::size_t j = points; j-- > 0;) {
    high[j] = j + 1 < points && high[j + 1] < windows[j].last + 1 ? high[j + 1] - 1 : windows[j].last;
    if (low[j] >= high[j]) return {};
  }
  std::vector<std::vector<std::uint32_t>> kept(points);
  for (std::size_t j = 0; j < points; ++j) {
    for (std::size_t at = low[j]; at < high[j]; ++at) kept[j].push_back(static_cast<std::uint32_t>(at));
  }
  return kept;
}

STAGECUT_DECL graph_paths all_cuts_fn::operator()(std::size_t items, std::size_t stages) const {
  if (stages == 0) {
    stagecut::detail::fail(argument_error("search::all_cuts", "stages", "0", "must be at least 1"));
  }
  if (items < stages) return graph_paths();
  std::vector<interval> windows(stages + 1, {1, items});
  windows.front() = {0, 1};
  windows.back() = {items, items + 1};
  return search::cuts_within(windows);
}

}  // namespace stagecut::inline STAGECUT_ABI::search
