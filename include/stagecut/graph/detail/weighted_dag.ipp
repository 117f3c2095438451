// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/weighted_dag.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL weighted_dag::weighted_dag(view<const std::int64_t> weights, view<const weighted_edge> edges,
                                         view<const std::int64_t> outputs) {
  check(weights, edges, outputs);
  const std::vector<vertex> position = positions(weights.size(), edges);
  detail::dag_edges listed;
  listed.reserve(edges.size());
  for (const weighted_edge& edge : edges) {
    if (edge.from != edge.to) listed.push_back({position[edge.from], position[edge.to], edge.weight});
  }
  std::vector<std::int64_t> moved(weights.size());
  for (std::size_t v = 0; v < weights.size(); ++v) moved[position[v]] = weights[v];
  flat_ = detail::flat_dag(std::move(moved), listed);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs_.push_back(outputs[order_[i]]);
}

STAGECUT_DECL void weighted_dag::check(view<const std::int64_t> weights, view<const weighted_edge> edges,
                                       view<const std::int64_t> outputs) {
  constexpr std::size_t most = std::numeric_limits<vertex>::max();
  const auto too_many = [](const char* what, std::size_t count) {
    detail::fail(argument_error("weighted_dag", what, std::to_string(count), "must be below 2^32 - 1"));
  };
  if (weights.size() >= most) too_many("weights.size()", weights.size());
  if (edges.size() >= most) too_many("edges.size()", edges.size());
  if (!outputs.empty() && outputs.size() != weights.size()) {
    detail::fail(argument_error("weighted_dag", "outputs.size()", std::to_string(outputs.size()),
                                detail::joined({"must be 0 or the number of vertices, ", weights.size()})));
  }
  std::int64_t left = std::int64_t{1} << 61U;
  const auto take = [&](std::int64_t weight, const char* what, std::size_t i) {
    const auto refuse = [&](const char* text) {
      detail::fail(
          invalid_input(detail::joined({what, " ", i}), detail::joined({"weight ", std::to_string(weight), text})));
    };
    if (weight < 0) refuse(", must not be negative");
    if (weight >= left) refuse(", with which all weights are 2^61 or more");
    left -= weight;
  };
  for (std::size_t v = 0; v < weights.size(); ++v) take(weights[v], "vertex", v);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const vertex end : {edges[i].from, edges[i].to}) {
      if (end < weights.size()) continue;
      detail::fail(invalid_input(detail::joined({"edge ", i}), detail::joined({"there is no vertex ", end})));
    }
    take(edges[i].weight, "edge", i);
  }
  for (std::size_t v = 0; v < outputs.size(); ++v) take(outputs[v], "output", v);
}

STAGECUT_DECL auto weighted_dag::positions(std::size_t n, view<const weighted_edge> edges) -> std::vector<vertex> {
  std::vector<vertex> result(n);
  order_.resize(n);
  bool ascending = true;
  for (const weighted_edge& edge : edges) ascending = ascending && edge.from <= edge.to;
  if (ascending) {
    for (std::size_t v = 0; v < n; ++v) result[v] = order_[v] = static_cast<vertex>(v);
    return result;
  }
  std::vector<precedence::pair> pairs;
  for (const weighted_edge& edge : edges) pairs.emplace_back(edge.from, edge.to);
  const precedence below(n, std::move(pairs));
  for (std::size_t i = 0; i < n; ++i) result[order_[i] = below.order()[i]] = static_cast<vertex>(i);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
