// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/graph_of_profile.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/graph/detail/layer_groups.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects invalid options.
inline void check_graph_options(const graph_options& options, const link_speed& link) {
  for (const auto& [name, value] :
       {std::pair("memory_accounting.parameter_multiplier", options.memory_accounting.parameter_multiplier),
        std::pair("link.latency", link.latency), std::pair("link.bandwidth", link.bandwidth)}) {
    if (is_finite(value) && !is_negative(value)) continue;
    fail(argument_error("graph_of", joined({"options.", name}), std::to_string(value),
                        "must be finite and not negative"));
  }
  if (options.memory_accounting.checkpoint != checkpointing::never) {
    fail(argument_error("graph_of", "options.memory_accounting.checkpoint", to_string(options.memory_accounting.checkpoint),
                        "must be never: what enters a stage of a graph belongs to no operator of it"));
  }
}

/// Rejects a module tree.
inline void check_no_tree(const profile& model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].children.empty()) continue;
    fail(invalid_input(layer_text(model, i), "has children: the model is a module tree, see flatten_modules"));
  }
}

/// The edges of a profile; for a chain, from each layer to the next.
[[nodiscard]] inline std::vector<operator_edge> operator_edges(const profile& model) {
  std::vector<operator_edge> result;
  const std::size_t n = model.layers.size();
  for (std::size_t i = 1; model.edges.empty() && i < n; ++i) result.push_back({i - 1, i});
  for (std::size_t e = 0; e < model.edges.size(); ++e) {
    for (const std::size_t end : {model.edges[e].from, model.edges[e].to}) {
      if (end >= n) fail(invalid_input(joined({"edge ", e}), joined({"there is no layer ", end})));
    }
    result.push_back({model.edges[e].from, model.edges[e].to});
  }
  return result;
}

/// Adds the bytes of tied parameters: to an operator if all that share them are on one stage in any case, else to
/// `shared`.
inline void add_ties(const profile& model, const memory_options& memory, operator_graph& graph) {
  std::vector<shared_parameters> ties;
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == ties.size()) ties.emplace_back();
    const double bytes = memory.resident_bytes(tied.bytes, tied.resident);
    ties[name].resident = ties[name].resident < bytes ? bytes : ties[name].resident;
    if (ties[name].operators.empty() || ties[name].operators.back() != i) ties[name].operators.push_back(i);
  });
  for (shared_parameters& tie : ties) {
    graph_operator& first = graph.operators[tie.operators.front()];
    bool together = first.group != graph_operator::none;
    for (const std::size_t i : tie.operators) together = together && graph.operators[i].group == first.group;
    if (together || tie.operators.size() == 1) {
      first.resident += tie.resident;
    } else if (tie.resident > 0) {
      graph.shared.push_back(std::move(tie));
    }
  }
}

/// Rejects values out of range.
inline void check_range(const profile& model, const operator_graph& graph) {
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const graph_operator& each = graph.operators[i];
    if (!is_finite(each.sent_seconds)) fail(invalid_input(layer_text(model, i), "the time of its output is out of range"));
    if (!is_finite(each.resident)) fail(invalid_input(layer_text(model, i), "what stays of it is out of range"));
  }
  for (const shared_parameters& parameters : graph.shared) {
    if (is_finite(parameters.resident)) continue;
    fail(invalid_input(layer_text(model, parameters.operators.front()),
                       "what stays of its tied parameters is out of range"));
  }
}

}  // namespace detail

STAGECUT_DECL operator_graph graph_of(const profile& model, const graph_options& options) {
  const link_speed link = options.link ? *options.link : model.machine.link.value_or(link_speed{});
  detail::check_graph_options(options, link);
  check_figures(model);
  detail::check_no_tree(model);
  bool gradients = false;  // that go back along the edges
  bool apart = false;
  for (const layer& each : model.layers) {
    gradients = gradients || each.backward > 0;
    apart = apart || each.is_backward;
  }
  operator_graph graph;
  graph.latency = link.latency;
  graph.sends_back = gradients && !apart;
  graph.edges = detail::operator_edges(model);
  const std::vector<std::size_t> groups = detail::layer_groups(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    graph_operator made;
    graph.names.push_back(each.name);
    made.forward = each.forward;
    made.backward = each.backward;
    made.cpu = each.cpu.value_or(0);
    made.sent_seconds = link_speed{0, link.bandwidth}(each.output);
    made.sent_back_seconds = gradients && !apart ? made.sent_seconds : 0;
    made.resident = options.memory_accounting.resident_bytes(each.parameters, each.resident);
    made.activations = each.activations;
    made.workspace = each.workspace + each.recomputed;
    made.output = each.output;
    made.group = groups[i];
    made.stage = each.stage ? *each.stage : graph_operator::none;
    made.on_accelerator = each.accelerator;
    made.on_cpu = each.cpu.has_value();
    made.is_backward = each.is_backward;
    graph.operators.push_back(made);
  }
  detail::add_ties(model, options.memory_accounting, graph);
  detail::check_range(model, graph);
  return graph;
}

}  // namespace stagecut::inline STAGECUT_ABI
