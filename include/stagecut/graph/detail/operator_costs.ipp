// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/operator_costs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/check_operator_figures.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The output of a producer, the tensor of an edge, or several of them with the same elements: a stage pays for it if it
/// holds some of the elements but not all.
struct net_weight {
  double forward = 0;   ///< seconds, of the forward pass
  double backward = 0;  ///< seconds, of the backward pass
  double bytes = 0;     ///< of the output or tensor
};

/// The nets of a graph: one per producer, with its element and those of its output's consumers, and one per tensor of an
/// edge, with the elements of its ends; equal ones are summed.
struct element_nets {
  rows<precedence::element> pins{};   ///< of each net, in ascending order, at least two
  std::vector<net_weight> weights{};  ///< of each net

  element_nets(const operator_graph& graph, const contraction& parts) {
    const rows<precedence::element> all = rows_of(graph, parts);
    std::vector<std::uint32_t> order;  // rows of several elements, sorted by their elements
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].size() > 1) order.push_back(static_cast<std::uint32_t>(i));
    }
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(all[a].begin(), all[a].end(), all[b].begin(), all[b].end());
    };
    std::stable_sort(order.begin(), order.end(), less);
    for (std::size_t i = 0; i < order.size();) {
      const std::uint32_t first = order[i];
      net_weight sum;
      for (; i < order.size() && !less(first, order[i]); ++i) {
        const graph_operator& from = graph.operators[producer_of(graph, order[i])];
        const edge_tensor sent = sent_by(graph, order[i]);
        (from.is_backward ? sum.backward : sum.forward) += sent.sent_seconds + graph.latency;
        if (!from.is_backward) sum.bytes += sent.bytes;
        if (sent.sent_back_seconds > 0 || graph.sends_back) sum.backward += sent.sent_back_seconds + graph.latency;
      }
      if (sum.forward == 0 && sum.backward == 0 && sum.bytes == 0) continue;
      pins.push_back(all[first]);
      weights.push_back(sum);
    }
  }

 private:
  /// For each operator, its element and those of its output's consumers; then for each tensor, those of its edge. In
  /// ascending order.
  rows<precedence::element> rows_of(const operator_graph& graph, const contraction& parts) {
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < graph.edges.size(); ++i) (graph.edges[i].tensor ? tensors_ : outputs).push_back(i);
    const std::size_t n = graph.operators.size();
    const rows<precedence::element> consumers{
        n, outputs.size(), [&](std::size_t i) { return graph.edges[outputs[i]].from; },
        [&](std::size_t i) { return parts.element_of(graph.edges[outputs[i]].to); }};
    rows<precedence::element> result;
    std::vector<precedence::element> row;
    const auto put = [&] {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      result.push_back(row);
    };
    for (std::size_t u = 0; u < n; ++u) {
      row.assign(1, parts.element_of(u));
      row.insert(row.end(), consumers[u].begin(), consumers[u].end());
      put();
    }
    for (const std::size_t i : tensors_) {
      row = {parts.element_of(graph.edges[i].from), parts.element_of(graph.edges[i].to)};
      put();
    }
    return result;
  }

  /// The operator that sends a row.
  [[nodiscard]] std::size_t producer_of(const operator_graph& graph, std::size_t row) const {
    const std::size_t n = graph.operators.size();
    return row < n ? row : graph.edges[tensors_[row - n]].from;
  }

  /// What a row sends.
  [[nodiscard]] edge_tensor sent_by(const operator_graph& graph, std::size_t row) const {
    const std::size_t n = graph.operators.size();
    if (row >= n) return *graph.edges[tensors_[row - n]].tensor;
    const graph_operator& from = graph.operators[row];
    return {from.sent_seconds, from.sent_back_seconds, from.output};
  }

  std::vector<std::size_t> tensors_{};  ///< edges that have one
};

/// For each shared copy of parameters, the elements that need it.
[[nodiscard]] inline rows<precedence::element> sharing_elements(const operator_graph& graph, const contraction& parts) {
  rows<precedence::element> result;
  for (const shared_parameters& parameters : graph.shared) {
    std::vector<precedence::element> row;
    for (const std::size_t v : parameters.operators) row.push_back(parts.element_of(v));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.push_back(row);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL operator_costs::operator_costs(const operator_graph& graph, const contraction& parts,
                                             const load_options& options, std::size_t stages)
    : options_(options) {
  detail::check_load_options("operator_costs", options, stages);
  detail::check_operator_figures(graph);
  const detail::element_nets nets(graph, parts);
  pins_ = nets.pins;
  const detail::rows<std::uint32_t> nets_of = pins_.holding(parts.elements());
  std::vector<link> row;
  for (std::size_t e = 0; e < parts.elements(); ++e) {
    row.clear();
    for (const std::uint32_t i : nets_of[e]) row.push_back({i, static_cast<std::uint32_t>(pins_[i].size())});
    links_.push_back(row);
  }
  sharing_ = detail::sharing_elements(graph, parts);
  shared_by_ = sharing_.holding(parts.elements());
  choose_ticks(graph, stages);
  for (const auto& weight : nets.weights) {
    nets_.push_back({time(weight.forward), time(weight.backward), bytes(options.boundary_buffers * weight.bytes)});
  }
  for (const shared_parameters& parameters : graph.shared) shared_.push_back(bytes(parameters.resident));
  for (std::size_t e = 0; e < parts.elements(); ++e) elements_.push_back(sum(graph, parts.operators_of(e)));
  for (std::size_t s = 0; s < options.constants.size(); ++s) constants_.push_back(time(options.constants[s]));
  for (const double speed : options.speeds) fastest_ = speed > fastest_ ? speed : fastest_;
  if (options.memory_limit) limit_ = bytes_below(*options.memory_limit);
  by_position_ = options.constants.size() > 1 || !options.speeds.empty();
  find_unit();
  const bool keeps = options.memory_limit && options.in_flight;
  for (const figures& element : elements_) {
    if (element.stage != graph_operator::none || (keeps && element.activations != 0)) by_position_ = true;
  }
}

STAGECUT_DECL void operator_costs::find_unit() {
  if (!options_.speeds.empty()) return;  // quotients are rounded
  ticks unit = 0;
  for (const figures& element : elements_)
    unit = std::gcd(std::gcd(unit, element.forward), std::gcd(element.backward, element.cpu));
  for (const net& each : nets_) unit = std::gcd(unit, std::gcd(each.forward, each.backward));
  for (const ticks each : constants_) unit = std::gcd(unit, each);
  unit_ = std::max<ticks>(unit, 1);
}

STAGECUT_DECL auto operator_costs::constant(std::size_t stage) const noexcept -> ticks {
  if (constants_.empty()) return 0;
  return constants_[constants_.size() == 1 || stage >= constants_.size() ? 0 : stage];
}

STAGECUT_DECL auto operator_costs::at_speed(ticks work, std::size_t stage) const noexcept -> ticks {
  if (options_.speeds.empty()) return work;
  return static_cast<ticks>(static_cast<double>(work) / options_.speeds[stage < options_.speeds.size() ? stage : 0]);
}

STAGECUT_DECL auto operator_costs::in_flight(std::size_t stage, std::size_t stages) const noexcept -> ticks {
  if (!options_.in_flight) return 1;
  const std::size_t left = stage < stages ? stages - stage : 1;
  return static_cast<ticks>(options_.microbatches != 0 && options_.microbatches < left ? options_.microbatches : left);
}

STAGECUT_DECL void operator_costs::choose_ticks(const operator_graph& graph, std::size_t stages) {
  double time = 0;
  double resident = 0;
  double activations = 0;
  for (const graph_operator& each : graph.operators) {
    const double both = each.forward + each.backward;
    time += both > each.cpu ? both : each.cpu;
    resident += each.resident;
    activations += each.activations;
    resident += each.workspace + options_.boundary_buffers * each.output;
  }
  double slowest = 1;
  for (const double speed : options_.speeds) slowest = std::min(slowest, speed);
  time /= slowest;
  std::vector<bool> feeds(graph.operators.size());
  for (const operator_edge& edge : graph.edges) {
    if (edge.tensor) {
      time += edge.tensor->sent_seconds + edge.tensor->sent_back_seconds + 2 * graph.latency;
      resident += options_.boundary_buffers * edge.tensor->bytes;
    } else {
      feeds[edge.from] = true;
    }
  }
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (feeds[v]) time += graph.operators[v].sent_seconds + graph.operators[v].sent_back_seconds + 2 * graph.latency;
  }
  for (const double each : options_.constants) time += each;
  for (const shared_parameters& parameters : graph.shared) resident += parameters.resident;
  const auto most = static_cast<double>(options_.in_flight ? stages : 1);
  times_ = detail::tick_scale_of(time);
  memory_ = detail::tick_scale_of(resident + most * activations);
}

STAGECUT_DECL auto operator_costs::sum(const operator_graph& graph, view<const std::size_t> operators) const
    -> figures {
  figures result;
  std::size_t fixed = graph_operator::none;
  for (const std::size_t v : operators) {
    const graph_operator& each = graph.operators[v];
    result.forward += time(each.forward);
    result.backward += time(each.backward);
    result.cpu += time(each.cpu);
    result.resident += bytes(each.resident);
    result.activations += bytes(each.activations);
    result.workspace = std::max(result.workspace, bytes(each.workspace));
    result.on_accelerator = result.on_accelerator && each.on_accelerator;
    result.on_cpu = result.on_cpu && each.on_cpu;
    if (each.stage == graph_operator::none) continue;
    if (result.stage != graph_operator::none && result.stage != each.stage) {
      detail::fail(
          invalid_input(detail::operator_text(graph, v),
                        detail::joined({"has to stand on stage ", each.stage, ", and shares one with operator ", fixed,
                                        ", which has to stand on stage ", result.stage})));
    }
    result.stage = each.stage;
    fixed = v;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
