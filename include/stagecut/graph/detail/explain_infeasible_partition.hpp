// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// An element in an explanation: `operator 3`, or `operator 3 and the 4 that share its stage`.
[[nodiscard]] inline std::string element_text(const operator_graph& graph, const contraction& parts, std::size_t e) {
  const auto operators = parts.operators_of(e);
  const std::string first = operator_text(graph, operators[0]);
  if (operators.size() == 1) return first;
  return joined({first, " and the ", operators.size() - 1, " that share its stage"});
}

/// Evident causes: an element without a device, fewer elements than stages, too little memory.
[[nodiscard]] inline std::optional<reason> explain_infeasible_partition(const operator_graph& graph,
                                                                        const contraction& parts,
                                                                        const operator_costs& costs,
                                                                        const stage_counts& counts) {
  const bool limited = costs.options().memory_limit.has_value();
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
      return reason{reason::cause::constraint, 0, 0,
                    joined({element_text(graph, parts, e), " runs on none of the devices"})};
    }
    if (limited && each.resident + each.activations > costs.limit()) {
      return reason{reason::cause::layer_too_large, engine::floor_bytes(bytes), engine::floor_bytes(available),
                    element_text(graph, parts, e)};
    }
  }
  if (!counts.at_most && counts.devices > parts.elements()) {
    return reason{reason::cause::more_stages_than_layers, counts.devices, parts.elements(), "",
                  "allow fewer, or part what shares a stage"};
  }
  if (limited && total > available * static_cast<double>(counts.devices)) {
    const double each = total / static_cast<double>(counts.devices);
    return reason{reason::cause::memory, engine::floor_bytes(each), engine::floor_bytes(available), "the average stage",
                  "use more devices, or some with more memory"};
  }
  return std::nullopt;
}

/// The number of descendants of each element. O(n m), n elements, m pairs.
[[nodiscard]] inline std::vector<std::size_t> counts_behind(const precedence& below) {
  std::vector<std::size_t> result(below.size());
  std::vector<std::size_t> seen(below.size(), below.size());
  std::vector<std::size_t> ahead;
  for (std::size_t e = 0; e < below.size(); ++e) {
    ahead.assign(1, e);
    while (!ahead.empty()) {
      const std::size_t from = ahead.back();
      ahead.pop_back();
      for (const std::size_t to : below.successors(from)) {
        if (seen[to] == e) continue;
        seen[to] = e;
        ++result[e];
        ahead.push_back(to);
      }
    }
  }
  return result;
}

/// An element that fits on no stage although later stages keep fewer microbatches: before stage `s` there are at least
/// `s` elements that do not follow it, one on each stage. The one that needs most; unset if there is none, or if stages
/// keep one microbatch.
[[nodiscard]] inline std::optional<reason> placeless(const operator_graph& graph, const contraction& parts,
                                                     const operator_costs& costs, const stage_counts& counts) {
  constexpr std::size_t most = 20'000;
  const std::size_t n = parts.elements();
  if (!costs.options().memory_limit || counts.at_most || counts.cpus > 0 || n > most) return std::nullopt;
  const std::vector<std::size_t> behind = detail::counts_behind(parts.below());
  std::optional<reason> result;
  for (std::size_t e = 0; e < n; ++e) {
    const operator_costs::figures& each = costs.of(e);
    const std::size_t before = n - 1 - behind[e];
    const std::size_t latest = before < counts.devices ? before : counts.devices - 1;
    const auto kept = costs.in_flight(latest, counts.devices);
    const auto needs = each.resident + kept * each.activations;
    if (needs <= costs.limit()) continue;
    const std::size_t bytes = engine::floor_bytes(costs.bytes_of(needs));
    if (result && result->needed >= bytes) continue;
    result = reason{reason::cause::layer_too_large, bytes, engine::floor_bytes(costs.bytes_of(costs.limit())),
                    element_text(graph, parts, e),
                    joined({"it stands on stage ", latest, " of ", counts.devices, " at the latest, which keeps ",
                            static_cast<std::size_t>(kept), kept == 1 ? " microbatch" : " microbatches",
                            ": use fewer stages or microbatches, or devices with more memory"})};
  }
  return result;
}

/// The reason for a problem that was proved to have no partition.
[[nodiscard]] inline reason no_partition(const operator_graph& graph, const contraction& parts,
                                         const operator_costs& costs, const stage_counts& counts) {
  if (auto why = placeless(graph, parts, costs, counts)) return *std::move(why);
  std::string text = joined(
      {"none into ", counts.at_most ? "at most " : "", counts.devices, counts.devices == 1 ? " stage" : " stages"});
  if (costs.options().memory_limit) text += " whose memory suffices";
  reason result{reason::cause::constraint, 0, 0, text + " and that keeps to what operators ask for"};
  if (costs.options().memory_limit) result.remedy = "use more devices, or some with more memory";
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
