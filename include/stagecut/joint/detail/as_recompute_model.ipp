// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/as_recompute_model.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/parts/recomputed_figures.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_recomputation(const profile& model, std::size_t i, const layer_variant& way) {
  const changed_figure changed = changed_figure_of(model.layers[i], way);
  if (changed.name[0] == '\0') return;
  const auto shown = [](const std::optional<double>& value) { return value ? number_text(*value) : "not set"; };
  fail(invalid_input(layer_text(model, i),
                     joined({"recomputation ", in_quotes(way.name), ": ", changed.name, " = ",
                             shown(changed.recomputed), ", must be the layer's, ", shown(changed.as_profiled)})));
}

STAGECUT_DECL recomputed_chain_maker::recomputed_chain_maker(const profile& model,
                                                             const std::vector<std::string>& names,
                                                             const memory_options& memory)
    : model_(model), names_(names), memory_(memory) {
  check_figures(model);
  if (!model.edges.empty()) refuse("model.edges", std::to_string(model.edges.size()), "must be empty: see as_chain");
  if (model.inference) refuse("model.inference", "true", "must be false: nothing is kept for a backward pass");
  if (memory.checkpoint != checkpointing::never) {
    refuse("memory_accounting.checkpoint", to_string(memory.checkpoint), "must be never: choices say what is computed again");
  }
}

STAGECUT_DECL recomputed_chain recomputed_chain_maker::make() {
  const std::size_t n = model_.layers.size();
  const auto has_choice = [&](std::size_t i) { return !model_.layers[i].recomputations.empty(); };
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) any = any || has_choice(i);
  // The first layer is always on the first stage, the last one on the last. If no layer has a choice, these are like
  // others.
  const std::size_t first = any && !has_choice(0) ? 1 : 0;
  const std::size_t last = any && !has_choice(n - 1) ? n - 1 : n;
  number_shared();
  result_.first = first;
  result_.model.head = end(0, first);
  result_.model.tail = end(last, n);
  for (std::size_t i = first; i < last; ++i) result_.model.layers.push_back(type_of(i));
  const cuts blocks = layer_blocks(model_);
  for (std::size_t c = first == 0 ? 1 : first, b = 0; c <= last && c < n; ++c) {
    while (blocks[b] < c) ++b;
    if (blocks[b] != c) result_.model.forbidden_cuts.push_back(c - first);
  }
  return std::move(result_);
}

STAGECUT_DECL void recomputed_chain_maker::refuse(const char* name, const std::string& value, const char* requirement) {
  fail(argument_error("as_recompute_model", name, value, requirement));
}

STAGECUT_DECL void recomputed_chain_maker::number_shared() {
  shared_.resize(model_.layers.size());
  std::vector<double>& bytes = result_.model.shared;
  each_tie(model_, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == bytes.size()) bytes.push_back(0);
    bytes[name] = std::max(bytes[name], memory_.resident_bytes(tied.bytes, tied.resident));
    std::vector<std::size_t>& here = shared_[i];
    if (std::find(here.begin(), here.end(), name) == here.end()) here.push_back(name);
  });
  for (std::vector<std::size_t>& each : shared_) std::sort(each.begin(), each.end());
}

STAGECUT_DECL layer_type recomputed_chain_maker::end(std::size_t first, std::size_t last) const {
  layer_type sum;
  if (first == last) return sum;
  sum.choices.push_back({no_recomputation});
  double peak = 0;
  for (std::size_t i = first; i < last; ++i) {
    const layer& each = model_.layers[i];
    sum.name += (i == first ? "" : ", ") + each.name;
    sum.forward += each.forward;
    sum.resident += memory_.resident_bytes(each.parameters, each.resident);
    sum.shared = shared_[i];
    sum.workspace = std::max(sum.workspace, each.workspace);
    sum.sent_bytes = each.output;
    peak = std::max(peak, each.workspace + each.recomputed);
    sum.choices[0].recomputed_apart += each.recomputed;
    sum.choices[0].backward += each.backward;
    sum.choices[0].backward_weight += each.backward_weight.value_or(0);
    sum.choices[0].activations += each.activations;
  }
  sum.choices[0].recomputed_whole = peak - sum.workspace;
  return sum;
}

STAGECUT_DECL bool recomputed_chain_maker::is_asked_for(const std::string& name) const {
  bool found = names_.empty();
  for (const std::string& each : names_) found = found || each == name;
  return found;
}

STAGECUT_DECL std::size_t recomputed_chain_maker::type_of(std::size_t i) {
  const layer& each = model_.layers[i];
  layer_type type;
  type.forward = each.forward;
  type.resident = memory_.resident_bytes(each.parameters, each.resident);
  type.shared = shared_[i];
  type.sent_bytes = each.output;
  const std::string own = own_recomputation(each);
  const auto add = [&](const std::string& name, const auto& way) {
    if (!each.recomputations.empty() && !is_asked_for(name)) return;
    type.choices.push_back({name, way.backward, way.backward_weight.value_or(0), way.activations, way.workspace,
                            way.recomputed, way.recomputed});
  };
  add(own, each);
  for (const layer_variant& way : each.recomputations.get()) {
    check_recomputation(model_, i, way);
    add(way.name, way);
  }
  if (type.choices.empty()) {
    fail(invalid_input(layer_text(model_, i), joined({"has none of the recomputations that were asked for, from ",
                                                      in_quotes(names_.front()), " on"})));
  }
  for (std::size_t t = 0; t < result_.model.types.size(); ++t) {
    type.name = result_.model.types[t].name;
    if (result_.model.types[t] == type) return t;
  }
  type.name = each.name;
  result_.model.types.push_back(std::move(type));
  return result_.model.types.size() - 1;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
