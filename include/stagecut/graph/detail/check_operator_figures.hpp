// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline v0::detail {

/// Refuses figures that are negative or not finite, and shared parameters of operators that there are not.
inline void check_operator_figures(const operator_graph& graph) {
  const auto check_figure = [](const std::string& place, const char* name, double value) {
    if (is_finite(value) && !is_negative(value)) return;
    fail(invalid_input(place, joined({name, " = ", std::to_string(value), ", must be finite and not negative"})));
  };
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    const std::string place = operator_text(graph, v);
    check_figure(place, "forward", each.forward);
    check_figure(place, "backward", each.backward);
    check_figure(place, "cpu", each.cpu);
    check_figure(place, "sent", each.sent);
    check_figure(place, "sent_back", each.sent_back);
    check_figure(place, "resident", each.resident);
    check_figure(place, "activations", each.activations);
    check_figure(place, "workspace", each.workspace);
    check_figure(place, "output", each.output);
  }
  if (!is_finite(graph.latency) || is_negative(graph.latency)) {
    fail(invalid_input("latency", joined({std::to_string(graph.latency), ", must be finite and not negative"})));
  }
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    for (const std::size_t v : graph.shared[i].operators) {
      if (v < graph.operators.size()) continue;
      fail(invalid_input(joined({"shared ", i}), joined({"there is no operator ", v})));
    }
    check_figure(joined({"shared ", i}), "resident", graph.shared[i].resident);
  }
}

}  // namespace stagecut::inline v0::detail
