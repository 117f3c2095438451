// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/variant_stages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/joint/baselines/detail/variant_stage_solver.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects a variant with invalid figures.
inline void check_variant(const run_variant& each, const std::string& place, std::size_t in, std::size_t out) {
  const auto check = [&](std::string_view name, double value) {
    if (is_finite(value) && !is_negative(value)) return;
    const std::string shown = is_nan(value) ? "NaN" : std::to_string(value);
    fail(invalid_input(place, joined({name, " = ", shown, ", must be finite and not negative"})));
  };
  check("time", each.time);
  check("parameters", each.parameters);
  check("activations", each.activations);
  check("resident", each.resident);
  for (const double bytes : each.received_bytes) check("received_bytes", bytes);
  for (const double bytes : each.sent_bytes) check("sent_bytes", bytes);
  if (!each.received_bytes.empty() && each.received_bytes.size() != in) {
    fail(invalid_input(place, joined({"received_bytes is of ", each.received_bytes.size(), " edges, and ", in, " come in"})));
  }
  if (!each.sent_bytes.empty() && each.sent_bytes.size() != out) {
    fail(invalid_input(place, joined({"sent_bytes is of ", each.sent_bytes.size(), " edges, and ", out, " go out"})));
  }
}

/// Rejects a layer that cannot be divided as specified.
inline void check_divided(const variant_layer& layer, const std::string& place, std::size_t in, std::size_t out) {
  for (std::size_t i = 0; i < layer.divided.size(); ++i) {
    const divided_layer& each = layer.divided[i];
    const std::string here = joined({place, ".divided[", i, "]"});
    if (each.tensor_parallel == 0 || each.tensor_parallel > 1'000'000) {
      fail(invalid_input(here, joined({"tensor_parallel = ", each.tensor_parallel, ", must be from 1 to 1000000"})));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (layer.divided[j].tensor_parallel == each.tensor_parallel) fail(invalid_input(here, joined({"tensor_parallel = ", each.tensor_parallel, " stands twice"})));
    }
    for (std::size_t r = 0; r < each.variants.size(); ++r) {
      check_variant(each.variants[r], joined({here, ".variants[", r, "]"}), in, out);
    }
  }
}

/// Returns the graph, or throws if it is invalid. Cycles are found later.
[[nodiscard]] inline variant_graph checked(variant_graph graph) {
  if (graph.layers.empty()) fail(invalid_input("layers", "there are none"));
  if (!is_finite(graph.bandwidth) || !(graph.bandwidth > 0)) fail(invalid_input("bandwidth", "must be above 0"));
  if (graph.microbatches == 0 || graph.microbatches >= std::size_t{1} << 31U) {
    fail(invalid_input("microbatches", joined({graph.microbatches, " of them: must be from 1 to below 2^31"})));
  }
  std::vector<std::size_t> in(graph.layers.size(), 0);
  std::vector<std::size_t> out(graph.layers.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const variant_edge& each = graph.edges[e];
    const std::string place = joined({"edges[", e, "]"});
    if (each.from >= graph.layers.size() || each.to >= graph.layers.size()) {
      fail(invalid_input(
          place, joined({"from ", each.from, " to ", each.to, ", and there are ", graph.layers.size(), " layers"})));
    }
    if (each.from == each.to) fail(invalid_input(place, joined({"from layer ", each.from, " to itself"})));
    if (!is_finite(each.bytes) || is_negative(each.bytes)) {
      fail(invalid_input(place, "bytes must be finite and not negative"));
    }
    ++out[each.from];
    ++in[each.to];
    pairs.emplace_back(each.from, each.to);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a < b; });
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    if (pairs[i] != pairs[i - 1]) continue;
    fail(invalid_input("edges",
                       joined({"from layer ", pairs[i].first, " to layer ", pairs[i].second, " there are two"})));
  }
  for (std::size_t v = 0; v < graph.layers.size(); ++v) {
    check_divided(graph.layers[v], joined({"layers[", v, "]"}), in[v], out[v]);
  }
  return graph;
}

/// The precedence of layers.
[[nodiscard]] inline precedence precedence_of(const variant_graph& graph) {
  std::vector<precedence::pair> pairs;
  for (const variant_edge& edge : graph.edges) {
    pairs.emplace_back(static_cast<precedence::element>(edge.from), static_cast<precedence::element>(edge.to));
  }
  return {graph.layers.size(), std::move(pairs)};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL variant_stages::variant_stages(variant_graph graph, std::size_t most)
    : graph_(detail::checked(std::move(graph))),
      tables_(graph_),
      points_(tables_, detail::precedence_of(graph_), most),
      solver_(tables_, points_, static_cast<double>(graph_.microbatches) * graph_.bandwidth) {
  for (std::size_t d = 1; d <= graph_.microbatches / d; ++d) {
    if (graph_.microbatches % d == 0) replicas_.push_back(d);
  }
  for (std::size_t i = replicas_.size(); i-- > 0;) {
    const std::size_t other = graph_.microbatches / replicas_[i];
    if (other != replicas_[i]) replicas_.push_back(other);
  }
}

STAGECUT_DECL std::vector<std::size_t> variant_stages::layers_of(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> result;
  if (last > size() || first > last) return result;
  points_.each_layer(first, last, [&](std::size_t v) { result.push_back(v); });
  return result;
}

STAGECUT_DECL std::vector<variant_stage> variant_stages::stages_of(const hybrid_cut& cut,
                                                                   const std::optional<double>& memory) const {
  solver_.set_memory(memory);
  std::vector<variant_stage> result;
  for (const hybrid_stage& stage : cut.stages) {
    variant_stage made;
    made.replicas = stage.option.replicas;
    made.tensor_parallel = stage.option.tensor_parallel;
    made.layers = layers_of(stage.first, stage.last);
    std::size_t t = 0;
    while (t < tables_.ways.size() && tables_.ways[t] != made.tensor_parallel) ++t;
    const bool is_stage = stage.first < stage.last && stage.last <= size() && points_.within(stage.first, stage.last);
    const bool is_held = made.replicas > 0 && stage.option.choice <= graph_.microbatches;
    if (is_stage && is_held && t < tables_.ways.size() && points_.between(stage.first, stage.last, t).missing == 0) {
      solver_.look_at(stage.first, stage.last, t, made.replicas);
      made.variants = solver_.variants(static_cast<std::int64_t>(stage.option.choice));
    }
    if (made.variants.empty()) {
      detail::fail(argument_error("variant_stages::stages_of", "cut", detail::joined({"stage ", result.size()}),
                                  "must be a stage of this model that fits"));
    }
    result.push_back(std::move(made));
  }
  return result;
}

STAGECUT_DECL stage_option variant_stages::option_of(const detail::variant_stage_facts::fact& found, std::size_t t,
                                                     std::size_t d, double time) const {
  stage_option option;
  option.replicas = d;
  option.tensor_parallel = tables_.ways[t];
  option.choice = static_cast<std::size_t>(found.held);
  option.time = time;
  option.activations = tables_.bytes.figure(found.figures.activations);
  option.resident = tables_.bytes.figure(found.figures.resident);
  return option;
}

}  // namespace stagecut::inline STAGECUT_ABI
