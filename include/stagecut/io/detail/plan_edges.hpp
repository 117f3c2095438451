// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

// Consistency of a plan's stages with its layers: edges for their inputs, links for the edges, variants for choices.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Each layer's inputs from other stages must have edges; layers of the backward pass only need none. O(stages * edges).
[[nodiscard]] inline plan_fault needs_fault(const plan& made) {
  struct need {
    std::size_t from, to, from_layer, to_layer;
  };
  const std::vector<std::size_t> stage_of = stage_of_layers(made);
  std::vector<need> needs;
  const auto add = [&](std::size_t from, std::size_t to) {
    if (from >= stage_of.size() || to >= stage_of.size() || stage_of[from] == stage_of[to]) return;
    if (made.profile.layers[from].is_backward || made.profile.layers[to].is_backward) return;
    needs.push_back({stage_of[from], stage_of[to], from, to});
  };
  for (const profile_edge& edge : made.profile.edges) add(edge.from, edge.to);
  for (std::size_t i = 1; i < stage_of.size() && made.profile.edges.empty(); ++i) add(i - 1, i);
  std::sort(needs.begin(), needs.end(), [](const need& a, const need& b) { return a.from < b.from; });
  std::vector<char> reached;
  for (std::size_t e = 0; e < needs.size(); ++e) {
    const need& each = needs[e];
    if (e == 0 || each.from != needs[e - 1].from) {
      reached.assign(made.stages.size(), 0);
      reached[each.from] = 1;
      for (const planned_edge& edge : made.edges) {  // by `from`, and each to a later stage: one pass finds all
        if (reached[edge.from] != 0) reached[edge.to] = 1;
      }
    }
    if (each.from < each.to && reached[each.to] != 0) continue;
    return {"/edges", joined({number_text(made.edges.size()), " edges"}),
            joined({"do not agree with the layers: layer ", number_text(each.to_layer), " on stage ",
                    number_text(each.to), " needs layer ", number_text(each.from_layer), " on stage ",
                    number_text(each.from), ", from which no way leads there"})};
  }
  return {};
}

/// Checks the edges between stages, and their links.
[[nodiscard]] inline plan_fault edges_fault(const plan& made) {
  const std::size_t stages = made.stages.size();
  if (made.edges.empty() && !made.assignment.empty()) {
    return {"/assignment", "{…}", "is of stages that are no chain: do not agree with no edges between them"};
  }
  if (made.edges.empty() && !made.profile.edges.empty() && stages > 1) {
    return {"/profile/edges", joined({number_text(made.profile.edges.size()), " edges"}),
            "make a graph: do not agree with no edges between its stages"};
  }
  for (std::size_t e = 0; e < made.edges.size(); ++e) {
    const auto [from, to, bytes] = made.edges[e];
    const std::string pointer = element_at("/edges", e);
    if (to >= stages) return not_below(joined({pointer, "/to"}), to, "stages", stages);
    if (from >= to) {
      return {joined({pointer, "/from"}), number_text(from),
              joined({"is not below the number of the stage that it leads to, ", number_text(to)})};
    }
    if (e == 0) continue;
    const planned_edge& before = made.edges[e - 1];
    if (before.from < from || (before.from == from && before.to < to)) continue;
    return {pointer, joined({"the edge from ", number_text(from), " to ", number_text(to)}),
            "is not behind the one before it: by the stage they come from, then by the one they lead to"};
  }
  if (!made.edges.empty()) {
    if (plan_fault fault = needs_fault(made)) return fault;
  }
  const std::size_t messages = made.edges.empty() ? stages - 1 : made.edges.size();
  const std::size_t links = made.messages.links.size();
  if (links > 1 && links != messages) {
    return {"/messages/links", joined({number_text(links), " links"}),
            joined({"are neither 1 nor the number of ",
                    made.edges.empty() ? "boundaries of stages, " : "edges between stages, ", number_text(messages)})};
  }
  const std::string& kind = made.messages.kind;
  const bool known = stagecut::find_name(transfer_kind_names, kind) != nullptr;
  if (links == 0 ? !kind.empty() : !known) {
    return {"/messages/kind", in_quotes(kind),
            joined({"is none of ", stagecut::list_names(transfer_kind_names), ", or there are no links"})};
  }
  return {};
}

/// Checks the chosen variants.
[[nodiscard]] inline plan_fault choices_fault(const plan& made) {
  const std::size_t layers = made.profile.layers.size();
  if (made.choices.empty()) return {};
  if (made.choices.size() != layers) {
    return {"/choices", joined({number_text(made.choices.size()), " choices"}),
            joined({"are not the number of layers, ", number_text(layers)})};
  }
  const std::vector<std::size_t> stage_of = stage_of_layers(made);
  for (std::size_t i = 0; i < layers; ++i) {
    const layer& each = made.profile.layers[i];
    const std::size_t shards = made.stages[stage_of[i]].tensor_parallel;
    for (const bool sharded : {false, true}) {
      const std::string& name = sharded ? made.choices[i].sharding : made.choices[i].recomputation;
      if (name.empty()) continue;
      const layer_variant* const found = find_variant(sharded ? each.shardings : each.recomputations, name);
      const std::string pointer = element_at("/choices", i, sharded ? "/sharding" : "/recomputation");
      if (found == nullptr) return {pointer, in_quotes(name), "does not agree with the layer, which has no such variant"};
      if (found->tensor_parallel == 1 || found->tensor_parallel == shards) continue;
      return {pointer, in_quotes(name),
              joined({"is of ", number_text(found->tensor_parallel),
                      " devices, not the tensor-parallel degree of its stage, ", number_text(shards)})};
    }
  }
  return {};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
