// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/pipeline_states.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/state_graph.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL void check_pipeline_states(const pipeline_states& states) {
  const std::size_t points = states.seconds.size();
  if (points < 2) detail::fail(invalid_input("points", detail::joined({points, ", must be at least 2"})));
  const std::vector<double>* const all[] = {&states.seconds, &states.parameters, &states.activations, &states.output};
  const char* const names[] = {"seconds", "parameters", "activations", "output"};
  const auto refuse = [](std::size_t point, std::initializer_list<detail::text_part> problem) {
    detail::fail(invalid_input(detail::joined({"point ", point}), detail::joined(problem)));
  };
  for (std::size_t f = 0; f < 4; ++f) {
    if (all[f]->size() != points) {
      detail::fail(invalid_input(names[f], detail::joined({all[f]->size(), ", must be as many as points, ", points})));
    }
    for (std::size_t p = 0; p < points; ++p) {
      const double value = (*all[f])[p];
      if (!is_finite(value) || is_negative(value)) refuse(p, {names[f], " must be finite and not negative"});
    }
  }
  const auto check_pair = [&](std::size_t p, std::size_t later) {
    for (std::size_t f = 0; f < 3; ++f) {
      if ((*all[f])[later] < (*all[f])[p]) refuse(later, {names[f], " are below those of point ", p});
    }
  };
  if (states.later.empty()) {
    for (std::size_t p = 1; p < points; ++p) check_pair(p - 1, p);
  } else if (states.later.size() != points) {
    detail::fail(
        invalid_input("later", detail::joined({states.later.size(), ", must be as many as points, ", points})));
  }
  for (std::size_t p = 0; p < states.later.size(); ++p) {
    std::size_t before = p;
    for (const std::size_t each : states.later[p]) {
      if (each <= before || each >= points) refuse(p, {"later points are not in order, or there is no point ", each});
      check_pair(p, each);
      before = each;
    }
    if (p + 1 < points && before + 1 != points) refuse(p, {"the last point does not hold it"});
  }
}

STAGECUT_DECL pipeline_states states_of_chain(const profile& model) {
  if (!model.edges.empty()) {
    detail::fail(argument_error("states_of_chain", "model.edges", "{…}", "must be empty: see states_of_graph"));
  }
  check_figures(model);
  pipeline_states result;
  for (const auto& layer : model.layers) {
    result.seconds.push_back(result.seconds.back() + layer.time());
    result.parameters.push_back(result.parameters.back() + layer.parameters);
    result.activations.push_back(result.activations.back() + layer.activations);
    result.output.push_back(layer.output);
  }
  check_pipeline_states(result);
  return result;
}

STAGECUT_DECL std::vector<std::size_t> graph_states::layers_between(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> result;
  for (std::size_t v = 0; v < layers.size(); ++v) {
    const std::uint64_t bits = held[last * words + v / 64] & ~held[first * words + v / 64];
    if ((bits >> (v % 64) & 1) != 0) result.push_back(layers[v]);
  }
  return result;
}

namespace detail {

STAGECUT_DECL layer_graph edges_between_points(const profile& model) {
  check_figures(model);
  layer_graph edges = edges_of(model);
  for (std::size_t i = 1; model.edges.empty() && i < model.layers.size(); ++i) edges.join(i - 1, i);
  if (const auto cycle = edges.cycle(); !cycle.empty()) {
    fail(invalid_input("edges", joined({cycle_text(model.layers, cycle), " is a cycle"})));
  }
  if (edges.size() == 0) fail(invalid_input("layers", "there are none"));
  return edges;
}

/// The order ideals found, with their figures, but not yet their inclusions.
[[nodiscard]] inline graph_states with_figures(const profile& model, state_graph graph) {
  graph_states result;
  result.states.seconds = graph.sums([&](std::size_t v) { return model.layers[v].time(); });
  result.states.parameters = graph.sums([&](std::size_t v) { return model.layers[v].parameters; });
  result.states.activations = graph.sums([&](std::size_t v) { return model.layers[v].activations; });
  result.states.output = graph.crossing([&](std::size_t v) { return model.layers[v].output; });
  result.layers = std::move(graph.layers);
  result.words = graph.held.words;
  result.held = std::move(graph.held.bits);
  return result;
}

}  // namespace detail

STAGECUT_DECL outcome<graph_states> states_of_graph(const profile& model, const state_options& options) {
  const layer_graph edges = detail::edges_between_points(model);
  detail::state_graph graph(model, edges, options.as_published);
  if (graph.layers.empty()) detail::fail(invalid_input("layers", "there are none"));
  if (const std::size_t apart = graph.apart(); options.as_published && apart < graph.layers.size()) {
    detail::refuse_layer(model, graph.layers[apart], "no edges join it with ",
                         detail::in_quotes(model.layers[graph.layers[graph.first]].name));
  }
  if (!graph.find(options.most_states)) {
    return outcome<graph_states>::unknown({reason::cause::limit_reached, 0, options.most_states});
  }
  auto later = graph.later();
  graph_states result = detail::with_figures(model, std::move(graph));
  result.states.later = std::move(later);
  check_pipeline_states(result.states);
  return outcome<graph_states>::optimal(std::move(result));
}

STAGECUT_DECL graph_states states_of_order(const profile& model, const std::vector<std::size_t>& order) {
  const layer_graph edges = detail::edges_between_points(model);
  detail::state_graph graph(model, edges, false);
  const auto refuse = [](std::size_t at, std::size_t value, const char* requirement) {
    detail::fail(
        argument_error("states_of_order", detail::joined({"order[", at, "]"}), std::to_string(value), requirement));
  };
  if (order.size() != edges.size()) {
    detail::fail(argument_error("states_of_order", "order.size()", std::to_string(order.size()),
                                detail::joined({"must be the number of layers, ", edges.size()})));
  }
  std::vector<std::size_t> place(edges.size());
  for (std::size_t v = 0; v < graph.layers.size(); ++v) place[graph.layers[v]] = v;
  std::vector<bool> held(edges.size());
  graph.held = engine::bit_rows(graph.layers.size(), order.size() + 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= edges.size() || held[order[i]]) refuse(i, order[i], "must be a layer that is not yet there");
    for (const std::size_t from : edges.previous(order[i])) {
      if (!held[from]) refuse(i, order[i], "must stand behind all layers that feed it");
    }
    held[order[i]] = true;
    graph.held.unite(graph.held[i + 1], graph.held[i]);
    engine::bit_rows::put(graph.held[i + 1], place[order[i]]);
  }
  graph_states result = detail::with_figures(model, std::move(graph));
  check_pipeline_states(result.states);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
