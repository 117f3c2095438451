// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects a figure that is negative or not finite; `place()` names its owner.
template <class Place>
void check_operator_figure(const Place& place, const char* name, double value) {
  if (is_finite(value) && !is_negative(value)) return;
  fail(invalid_input(place(), joined({name, " = ", std::to_string(value), ", must be finite and not negative"})));
}

/// Rejects figures of the edges' tensors that are negative or not finite.
inline void check_tensor_figures(const operator_graph& graph);

/// Rejects figures that are negative or not finite, and shared parameters of operators that do not exist.
inline void check_operator_figures(const operator_graph& graph);

/// The largest power of two p for which `sum * 2^p` stays below 2^60: a tick is its inverse.
[[nodiscard]] inline engine::tick_scale tick_scale_of(double sum);

inline void check_tensor_figures(const operator_graph& graph) {
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::optional<edge_tensor>& each = graph.edges[i].tensor;
    if (!each) continue;
    const auto place = [&] { return joined({"edge ", i}); };
    check_operator_figure(place, "sent_seconds", each->sent_seconds);
    check_operator_figure(place, "sent_back_seconds", each->sent_back_seconds);
    check_operator_figure(place, "bytes", each->bytes);
  }
}

inline void check_operator_figures(const operator_graph& graph) {
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    const auto place = [&] { return operator_text(graph, v); };
    check_operator_figure(place, "forward", each.forward);
    check_operator_figure(place, "backward", each.backward);
    check_operator_figure(place, "cpu", each.cpu);
    check_operator_figure(place, "sent_seconds", each.sent_seconds);
    check_operator_figure(place, "sent_back_seconds", each.sent_back_seconds);
    check_operator_figure(place, "resident", each.resident);
    check_operator_figure(place, "activations", each.activations);
    check_operator_figure(place, "workspace", each.workspace);
    check_operator_figure(place, "output", each.output);
  }
  check_tensor_figures(graph);
  if (!is_finite(graph.latency) || is_negative(graph.latency)) {
    fail(invalid_input("latency", joined({std::to_string(graph.latency), ", must be finite and not negative"})));
  }
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    const auto place = [&] { return joined({"shared ", i}); };
    for (const std::size_t v : graph.shared[i].operators) {
      if (v < graph.operators.size()) continue;
      fail(invalid_input(place(), joined({"there is no operator ", v})));
    }
    check_operator_figure(place, "resident", graph.shared[i].resident);
  }
}

inline engine::tick_scale tick_scale_of(double sum) {
  if (!is_finite(sum)) fail(invalid_input("operators", "the sum of their figures is out of range"));
  return engine::tick_scale(sum);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
