// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/variant_stages.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/joint/detail/check_variant_graph.hpp>
#include <stagecut/joint/detail/variant_stage_solver.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/variant_graph.hpp>

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
  for (const hybrid_stage& each : cut.stages) {
    variant_stage made;
    made.replicas = each.option.replicas;
    made.ways = each.option.ways;
    made.layers = layers_of(each.first, each.last);
    std::size_t t = 0;
    while (t < tables_.ways.size() && tables_.ways[t] != made.ways) ++t;
    const bool is_stage = each.first < each.last && each.last <= size() && points_.within(each.first, each.last);
    const bool is_held = made.replicas > 0 && each.option.choice <= graph_.microbatches;
    if (is_stage && is_held && t < tables_.ways.size() && points_.between(each.first, each.last, t).missing == 0) {
      solver_.look_at(each.first, each.last, t, made.replicas);
      made.variants = solver_.variants(static_cast<std::int64_t>(each.option.choice));
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
  option.ways = tables_.ways[t];
  option.choice = static_cast<std::size_t>(found.held);
  option.time = time;
  option.activations = tables_.bytes.figure(found.figures.activations);
  option.resident = tables_.bytes.figure(found.figures.resident);
  return option;
}

}  // namespace stagecut::inline STAGECUT_ABI
