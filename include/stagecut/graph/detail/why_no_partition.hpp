// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// An element in an explanation: `operator 3`, or `operator 3 and the 4 that share its stage`.
[[nodiscard]] inline std::string element_text(const operator_graph& graph, const contraction& parts, std::size_t e) {
  const auto operators = parts.operators_of(e);
  const std::string first = operator_text(graph, operators[0]);
  if (operators.size() == 1) return first;
  return joined({first, " and the ", operators.size() - 1, " that share its stage"});
}

/// Bytes as a whole number.
[[nodiscard]] inline std::size_t bytes_needed(double bytes) {
  return bytes < 0x1p63 ? static_cast<std::size_t>(bytes) : static_cast<std::size_t>(0x1p63);
}

/// What is seen at once: an element that stands nowhere, fewer elements than stages, more memory than there is.
[[nodiscard]] inline std::optional<reason> why_no_partition(const operator_graph& graph, const contraction& parts,
                                                            const operator_costs& costs, const stage_counts& counts) {
  const bool limited = costs.options().memory.has_value();
  const auto available = static_cast<double>(limited ? costs.bytes_of(costs.limit()) : 0);
  double total = 0;
  for (std::size_t e = 0; e < costs.size(); ++e) {
    const operator_costs::figures& each = costs.of(e);
    const bool on_cpu = each.on_cpu && counts.cpus > 0;
    const double bytes = costs.bytes_of(each.resident + each.activations);
    if (!on_cpu) total += bytes;
    if (each.stage != graph_operator::none && each.stage >= counts.devices + counts.cpus) {
      return reason{reason::cause::constraint, 0, 0,
                    joined({element_text(graph, parts, e), " has to stand on stage ", each.stage, " of ",
                            counts.devices + counts.cpus})};
    }
    if (on_cpu) continue;
    if (!each.on_accelerator) {
      return reason{reason::cause::constraint, 0, 0, joined({element_text(graph, parts, e), " runs on none of the devices"})};
    }
    if (limited && each.resident + each.activations > costs.limit()) {
      return reason{reason::cause::layer_too_large, bytes_needed(bytes), bytes_needed(available),
                    element_text(graph, parts, e)};
    }
  }
  if (!counts.at_most && counts.devices > parts.elements()) {
    return reason{reason::cause::more_stages_than_layers, counts.devices, parts.elements(), "",
                  "allow fewer, or part what shares a stage"};
  }
  if (limited && total > available * static_cast<double>(counts.devices)) {
    const double each = total / static_cast<double>(counts.devices);
    return reason{reason::cause::memory, bytes_needed(each), bytes_needed(available), "the average stage",
                  "use more devices, or some with more memory"};
  }
  return std::nullopt;
}

/// What is known of a problem for which it was proved that there is no partition.
[[nodiscard]] inline reason no_partition(const operator_costs& costs, const stage_counts& counts) {
  std::string text = joined(
      {"none into ", counts.at_most ? "at most " : "", counts.devices, counts.devices == 1 ? " stage" : " stages"});
  if (costs.options().memory) text += " whose memory suffices";
  reason result{reason::cause::constraint, 0, 0, text + " and that keeps to what operators ask for"};
  if (costs.options().memory) result.remedy = "use more devices, or some with more memory";
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
