// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The stages allowed for elements, from fixed stages and precedence.
struct stage_ranges {
  std::vector<std::size_t> least{};
  std::vector<std::size_t> most{};
  std::vector<bool> pinned{};  ///< for each stage, whether an element is fixed to it
  std::string conflict{};      ///< why there is no plan; empty: there may be one

  stage_ranges(const operator_graph& graph, const contraction& elements, std::size_t stages);
};

/// Why no plan satisfies memory, devices and stages, if that is evident.
[[nodiscard]] inline std::optional<reason> explain_infeasible_graph_plan(const operator_graph& graph,
                                                                         const contraction& elements,
                                                                         const graph_makespan_request& request,
                                                                         const stage_ranges& ranges);

inline stage_ranges::stage_ranges(const operator_graph& graph, const contraction& elements, std::size_t stages)
    : least(elements.elements()), most(elements.elements(), stages - 1), pinned(stages) {
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    const std::size_t stage = graph.operators[v].stage;
    if (stage == graph_operator::none) continue;
    if (stage >= stages) {
      if (conflict.empty()) conflict = joined({"operator ", v, " stands on stage ", stage, ", which there is not"});
      continue;
    }
    const std::size_t e = elements.element_of(v);
    pinned[stage] = true;
    least[e] = std::max(least[e], stage);
    most[e] = std::min(most[e], stage);
  }
  const auto order = elements.below().order();
  for (const std::size_t e : order) {
    for (const std::size_t from : elements.below().predecessors(e)) least[e] = std::max(least[e], least[from]);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t e = order[i];
    for (const std::size_t to : elements.below().successors(e)) most[e] = std::min(most[e], most[to]);
    if (least[e] > most[e] && conflict.empty()) {
      conflict =
          joined({"operator ", elements.operators_of(e)[0], " has no stage left: the fixed operators exclude all"});
    }
  }
}

inline std::optional<reason> explain_infeasible_graph_plan(const operator_graph& graph, const contraction& elements,
                                                           const graph_makespan_request& request,
                                                           const stage_ranges& ranges) {
  if (!request.at_most && elements.elements() < request.devices) {
    return reason{reason::cause::more_stages_than_layers, request.devices, elements.elements()};
  }
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    if (graph.operators[v].on_accelerator) continue;
    return reason{reason::cause::constraint, 0, 0, joined({"operator ", v, " does not run on an accelerator"})};
  }
  if (!ranges.conflict.empty()) return reason{reason::cause::constraint, 0, 0, ranges.conflict};
  if (!request.memory_limit.for_all()) return {};
  const double memory = *request.memory_limit.for_all();
  double total = 0;
  for (std::size_t e = 0; e < elements.elements(); ++e) {
    double own = 0;
    for (const std::size_t v : elements.operators_of(e)) {
      own += graph.operators[v].resident + graph.operators[v].activations;
    }
    total += own;
    if (own <= memory * (1 + 0x1p-40)) continue;
    return reason{reason::cause::layer_too_large, engine::floor_bytes(own), engine::floor_bytes(memory),
                  joined({"operator ", elements.operators_of(e)[0],
                          elements.operators_of(e).size() > 1 ? " with those that cannot be parted from it" : ""})};
  }
  const double all = memory * static_cast<double>(request.devices);
  if (total <= all * (1 + 0x1p-40)) return {};
  return reason{reason::cause::memory, engine::floor_bytes(total), engine::floor_bytes(all),
                "the graph, on all devices together,"};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
