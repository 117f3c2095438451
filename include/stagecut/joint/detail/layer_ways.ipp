// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/layer_ways.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/recomputed_figures.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool way_figures::covers(const way_figures& other) const noexcept {
  return backward <= other.backward && activations <= other.activations && forward <= other.forward &&
         resident <= other.resident && workspace <= other.workspace && update <= other.update &&
         parameters <= other.parameters;
}

STAGECUT_DECL void way_figures::lower(const way_figures& other) noexcept {
  const auto take = [&](double way_figures::*part) {
    if (other.*part < this->*part) this->*part = other.*part;
  };
  for (const auto part :
       {&way_figures::forward, &way_figures::backward, &way_figures::update, &way_figures::activations,
        &way_figures::resident, &way_figures::workspace, &way_figures::parameters}) {
    take(part);
  }
}

STAGECUT_DECL layer_ways::layer_ways(const profile& model, const std::vector<std::size_t>& ways,
                                     const std::vector<std::string>& names, const memory_options& memory, bool of_chain)
    : size_(model.layers.size()), memory_(memory) {
  check(model, of_chain);
  for (const std::size_t t : ways) {
    for (const layer& each : model.layers) {
      std::vector<layer_way> alternatives = t == 1 ? recomputed(each, names) : sharded(each, t, names);
      if (alternatives.empty()) {
        fail(invalid_input(
            layer_text(model, static_cast<std::size_t>(&each - model.layers.data())),
            joined({"has none of the recomputations that were asked for, from ", in_quotes(names.front()), " on"})));
      }
      ways_.push_back(std::move(alternatives));
    }
  }
  for (const layer& each : model.layers) outputs_.push_back(each.output);
}

STAGECUT_DECL void layer_ways::check(const profile& model, bool of_chain) const {
  check_figures(model);
  const auto refuse = [](const char* name, const std::string& value, const char* must) {
    fail(argument_error("profile_options", name, value, must));
  };
  if (model.layers.empty()) fail(invalid_input("layers", "there are none"));
  if (of_chain && !model.edges.empty())
    refuse("model.edges", std::to_string(model.edges.size()), "must be empty: see as_chain");
  if (model.inference) refuse("model.inference", "true", "must be false: replicas exchange gradients");
  if (memory_.checkpoint != checkpointing::never) {
    refuse("memory_accounting.checkpoint", to_string(memory_.checkpoint),
           "must be never: recomputations say what is computed again");
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) check_layer(model, i);
}

STAGECUT_DECL void layer_ways::check_layer(const profile& model, std::size_t i) {
  const layer& each = model.layers[i];
  const auto refuse = [&](const std::string& problem) { fail(invalid_input(layer_text(model, i), problem)); };
  if (each.stage || !each.accelerator)
    refuse("has a stage or a device of its own, which this planner does not keep to");
  if (each.is_backward) refuse("is of the backward pass alone, and stages have both passes of their layers");
  if (!each.children.empty()) refuse("has children: see flatten_modules");
  for (const layer_variant& variant : each.recomputations.get()) check_recomputation(model, i, variant);
  for (const auto* const variants : {&each.recomputations.get(), &each.shardings.get()}) {
    for (std::size_t k = 0; k < variants->size(); ++k) {
      const layer_variant& variant = (*variants)[k];
      if (variant.output != each.output) {
        refuse(joined({"variant ", in_quotes(variant.name), " has another output than the layer"}));
      }
      for (std::size_t j = 0; j < k; ++j) {
        if ((*variants)[j].name == variant.name) refuse(joined({"has two variants ", in_quotes(variant.name)}));
      }
    }
  }
}

STAGECUT_DECL bool layer_ways::is_asked_for(const std::string& name, const std::vector<std::string>& names) {
  bool found = names.empty();
  for (const std::string& each : names) found = found || each == name;
  return found;
}

STAGECUT_DECL std::vector<layer_way> layer_ways::recomputed(const layer& each,
                                                            const std::vector<std::string>& names) const {
  std::vector<layer_way> result;
  const std::string own = own_recomputation(each);
  if (each.recomputations.empty() || is_asked_for(own, names)) result.push_back(way(each));
  for (const layer_variant& variant : each.recomputations.get()) {
    if (!is_asked_for(variant.name, names)) continue;
    result.push_back(way(with_layer_figures(each, variant)));
    result.back().recomputation = variant.name;
  }
  return result;
}

STAGECUT_DECL std::vector<layer_way> layer_ways::sharded(const layer& each, std::size_t ways,
                                                         const std::vector<std::string>& names) const {
  std::vector<layer_way> result;
  bool any = false;
  bool any_again = false;  // whether there is a choice
  for (const layer_variant& variant : each.shardings.get()) {
    any = any || variant.tensor_parallel == ways;
    any_again = any_again || (variant.tensor_parallel == ways && !variant.recomputation.empty());
  }
  for (const layer_variant& variant : each.shardings.get()) {
    const std::string how = variant.recomputation.empty() ? "none" : variant.recomputation;
    if (variant.tensor_parallel != ways || (any_again && !is_asked_for(how, names))) continue;
    result.push_back(way(variant));
    result.back().sharding = variant.name;
  }
  return any ? result : recomputed(each, names);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
