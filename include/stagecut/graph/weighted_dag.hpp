// SPDX-License-Identifier: BSL-1.0
#pragma once

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

/// That one vertex has to stand in front of another one, and what it costs if the two are parted.
struct weighted_edge {
  std::uint32_t from = 0;   ///< the vertex in front, from 0
  std::uint32_t to = 0;     ///< the other one
  std::int64_t weight = 1;  ///< not negative
};

/// A directed graph without cycles with a weight on each vertex and edge, in compact form: what `multilevel` cuts where
/// the edges that are cut are counted. 56 bytes for a vertex and 24 for an edge at most.
class weighted_dag {
 public:
  /// A vertex, from 0.
  using vertex = std::uint32_t;

  /// No vertex.
  weighted_dag() = default;

  /// @param weights  of every vertex, not negative
  /// @param edges    between them, in any order; of several between the same two the weights are added, and one of a
  ///                 vertex with itself says nothing
  /// @param outputs  of every vertex, not negative: what a part pays for its output that holds the vertex and not all to
  ///                 which its edges lead, or some of these and not the vertex; empty: nothing
  /// @throws         argument_error for 2^32 - 1 vertices or edges or more, and for as many outputs as there are not
  ///                 vertices; invalid_input with `edge I` for a vertex that there is not, `edge I`, `vertex V` or
  ///                 `output V` for a weight below 0, with the vertices of a cycle, and where all weights add up to 2^61
  ///                 or more. O(n log n + m log m), and O(n + m) where every edge leads to a higher number
  weighted_dag(view<const std::int64_t> weights, view<const weighted_edge> edges,
               view<const std::int64_t> outputs = {}) {
    check(weights, edges, outputs);
    const std::vector<vertex> position = positions(weights.size(), edges);
    detail::dag_edges listed;
    listed.reserve(edges.size());
    for (const weighted_edge& each : edges) {
      if (each.from != each.to) listed.push_back({position[each.from], position[each.to], each.weight});
    }
    std::vector<std::int64_t> moved(weights.size());
    for (std::size_t v = 0; v < weights.size(); ++v) moved[position[v]] = weights[v];
    flat_ = detail::flat_dag(std::move(moved), listed);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs_.push_back(outputs[order_[i]]);
  }

  /// Number of vertices.
  [[nodiscard]] std::size_t size() const noexcept { return flat_.size(); }
  /// Number of edges, several between the same two counted once.
  [[nodiscard]] std::size_t edges() const noexcept { return flat_.edges(); }
  /// Sum of the vertices' weights.
  [[nodiscard]] std::int64_t weight() const noexcept { return flat_.total; }
  /// What stands at each place of the order in which `flat` has them.
  [[nodiscard]] view<const vertex> order() const noexcept { return order_; }
  /// What parts pay for the output of what stands at each place; empty: nothing.
  [[nodiscard]] view<const std::int64_t> outputs() const noexcept { return outputs_; }
  /// The same with the vertices numbered by that order, in which every edge leads upwards.
  [[nodiscard]] const detail::flat_dag& flat() const noexcept { return flat_; }

 private:
  static void check(view<const std::int64_t> weights, view<const weighted_edge> edges,
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

  /// The place of every vertex; writes what stands there.
  std::vector<vertex> positions(std::size_t n, view<const weighted_edge> edges) {
    std::vector<vertex> result(n);
    order_.resize(n);
    bool ascending = true;
    for (const weighted_edge& each : edges) ascending = ascending && each.from <= each.to;
    if (ascending) {
      for (std::size_t v = 0; v < n; ++v) result[v] = order_[v] = static_cast<vertex>(v);
      return result;
    }
    std::vector<precedence::pair> pairs;
    for (const weighted_edge& each : edges) pairs.emplace_back(each.from, each.to);
    const precedence below(n, std::move(pairs));
    for (std::size_t i = 0; i < n; ++i) result[order_[i] = below.order()[i]] = static_cast<vertex>(i);
    return result;
  }

  std::vector<vertex> order_{};
  std::vector<std::int64_t> outputs_{};
  detail::flat_dag flat_{};
};

}  // namespace stagecut::inline STAGECUT_ABI
