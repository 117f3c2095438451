// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/stage_pipeline.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

[[noreturn]] inline void refuse_assignment(std::size_t v, std::size_t stage, const std::string& requirement) {
  fail(argument_error("make_stage_pipeline", joined({"stage_of[", v, "]"}),
                      stage == graph_operator::none ? "none" : std::to_string(stage), requirement));
}

STAGECUT_DECL void check_operators(const operator_graph& graph) {
  const auto wrong = [](double value) { return !is_finite(value) || is_negative(value); };
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    for (const double value :
         {each.forward, each.backward, each.sent_seconds, each.sent_back_seconds, each.resident, each.activations}) {
      if (wrong(value)) fail(invalid_input(joined({"operator ", v}), "has a number that is negative or not finite"));
    }
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const edge_tensor each = graph.edges[i].tensor.value_or(edge_tensor{});
    if (wrong(each.sent_seconds) || wrong(each.sent_back_seconds)) {
      fail(invalid_input(joined({"edge ", i}), "has a number that is negative or not finite"));
    }
  }
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    const std::string place = joined({"shared parameters ", i});
    if (wrong(graph.shared[i].resident)) fail(invalid_input(place, "have bytes that are negative or not finite"));
    for (const std::size_t v : graph.shared[i].operators) {
      if (v >= graph.operators.size()) fail(invalid_input(place, joined({"name operator ", v}) + ", which is none"));
    }
  }
  if (wrong(graph.latency)) fail(invalid_input("latency", "is negative or not finite"));
}

STAGECUT_DECL void check_assignment(const operator_graph& graph, view<const std::size_t> stage_of, std::size_t stages) {
  if (stage_of.size() != graph.operators.size()) {
    fail(argument_error("make_stage_pipeline", "stage_of.size()", std::to_string(stage_of.size()),
                        joined({"must be the number of operators, ", graph.operators.size()})));
  }
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    if (stage_of[v] < stages) continue;
    refuse_assignment(v, stage_of[v], joined({"must be below the number of stages, ", stages}));
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::size_t from = graph.edges[i].from;
    const std::size_t to = graph.edges[i].to;
    for (const std::size_t end : {from, to}) {
      if (end >= stage_of.size()) fail(invalid_input(joined({"edge ", i}), joined({"there is no operator ", end})));
    }
    const bool back = graph.operators[from].is_backward;
    if (back && !graph.operators[to].is_backward) {
      fail(invalid_input(joined({"edge ", i}), "leads from the backward to the forward pass"));
    }
    if (back ? stage_of[from] < stage_of[to] : stage_of[from] > stage_of[to] && !graph.operators[to].is_backward) {
      refuse_assignment(to, stage_of[to],
                        joined({"must not be ", back ? "above" : "below", " that of operator ", from, ", ",
                                stage_of[from], ", which leads to it"}));
    }
  }
}

/// What each pair of stages sends, by stage: `sum[a * stages + b]` from a to b.
struct pair_sums {
  explicit pair_sums(std::size_t stages)
      : edges(stages * stages), forward(stages * stages), backward(stages * stages), gradient(stages * stages) {}

  std::vector<std::size_t> edges;  ///< between operators
  std::vector<double> forward;     ///< outputs and tensors of operators of the forward pass
  std::vector<double> backward;    ///< outputs and tensors of operators of the backward pass
  std::vector<double> gradient;    ///< from b back to a: gradients of outputs and tensors
};

/// Sets the edges of stages and their messages.
inline void set_edges(stage_pipeline& result, const pair_sums& sums, double latency) {
  const std::size_t k = result.stages();
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      const std::size_t down = a * k + b;
      const std::size_t up = b * k + a;
      if (sums.edges[down] == 0 && sums.edges[up] == 0) continue;
      result.edges.push_back({a, b});
      result.send_forward.push_back(latency + sums.forward[down]);
      result.send_backward.push_back(latency + ((sums.gradient[down] + sums.backward[up]) + sums.forward[up]));
    }
  }
}

/// Adds the message of an edge with its own tensor to a pair.
inline void add_tensor(pair_sums& to, const operator_graph& graph, const operator_edge& edge, std::size_t pair) {
  const bool back = graph.operators[edge.from].is_backward;
  ++to.edges[pair];
  (back ? to.backward : to.forward)[pair] += edge.tensor->sent_seconds;
  if (!back && !graph.operators[edge.to].is_backward) to.gradient[pair] += edge.tensor->sent_back_seconds;
}

/// The sums over the operators of each pair.
[[nodiscard]] inline pair_sums sum_pairs(const operator_graph& graph, view<const std::size_t> stage_of,
                                         std::size_t stages) {
  pair_sums result(stages);
  std::vector<std::vector<std::size_t>> consumers(graph.operators.size());
  for (const operator_edge& edge : graph.edges) {
    if (stage_of[edge.from] == stage_of[edge.to]) continue;
    if (edge.tensor) {
      add_tensor(result, graph, edge, stage_of[edge.from] * stages + stage_of[edge.to]);
    } else {
      consumers[edge.from].push_back(edge.to);
    }
  }
  std::vector<std::size_t> taken(stages, stage_of.size());  // the last operator whose output a stage takes
  std::vector<std::size_t> returns(stages, stage_of.size());
  for (std::size_t v = 0; v < consumers.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    for (const std::size_t to : consumers[v]) {
      const std::size_t pair = stage_of[v] * stages + stage_of[to];
      ++result.edges[pair];
      if (std::exchange(taken[stage_of[to]], v) != v) {
        (each.is_backward ? result.backward : result.forward)[pair] += each.sent_seconds;
      }
      if (each.is_backward || graph.operators[to].is_backward) continue;
      if (std::exchange(returns[stage_of[to]], v) != v) result.gradient[pair] += each.sent_back_seconds;
    }
  }
  return result;
}

}  // namespace detail

STAGECUT_DECL stage_pipeline make_stage_pipeline_fn::operator()(const operator_graph& graph,
                                                                view<const std::size_t> stage_of,
                                                                std::size_t stages) const {
  detail::check_operators(graph);
  detail::check_assignment(graph, stage_of, stages);
  stage_pipeline result;
  for (auto* each : {&result.forward, &result.backward, &result.resident, &result.activations}) each->resize(stages);
  for (std::size_t v = 0; v < stage_of.size(); ++v) {
    const graph_operator& each = graph.operators[v];
    const std::size_t s = stage_of[v];
    (each.is_backward ? result.backward : result.forward)[s] += each.forward;
    result.backward[s] += each.backward;
    result.resident[s] += each.resident;
    result.activations[s] += each.activations;
  }
  std::vector<std::size_t> holder(stages, graph.shared.size());
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    for (const std::size_t v : graph.shared[i].operators) {
      if (std::exchange(holder[stage_of[v]], i) != i) result.resident[stage_of[v]] += graph.shared[i].resident;
    }
  }
  detail::set_edges(result, detail::sum_pairs(graph, stage_of, stages), graph.latency);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
