// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/as_inference.hpp>

#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL profile as_inference(profile model) {
  if (model.inference) return model;
  model.inference = true;
  const auto forward_only = [](auto& each) {
    each.backward = 0;
    each.backward_input.reset();
    each.backward_weight.reset();
    each.resident.reset();
    each.recomputed = 0;
  };
  for (auto& layer : model.layers) {
    forward_only(layer);
    if (!layer.tied.empty()) {
      for (tied_parameters& shared : layer.tied.change()) shared.resident.reset();
    }
    if (!layer.shardings.empty()) {
      for (layer_variant& variant : layer.shardings.change()) forward_only(variant);
    }
    layer.recomputation = {};
    layer.recomputations = {};
  }
  return model;
}

}  // namespace stagecut::inline STAGECUT_ABI
