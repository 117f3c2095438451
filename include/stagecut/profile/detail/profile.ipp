// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/profile.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<double> profile::times() const {
  std::vector<double> result;
  result.reserve(layers.size());
  for (const auto& layer : layers) result.push_back(layer.time());
  return result;
}

STAGECUT_DECL bool profile::splits_backward() const noexcept {
  for (const auto& layer : layers) {
    if (!layer.backward_weight) return false;
  }
  return true;
}

namespace detail {

STAGECUT_DECL std::string layer_text(const profile& model, std::size_t i) {
  const std::string& name = model.layers[i].name;
  return name.empty() ? joined({"layer ", i}) : joined({"layer ", i, " (", in_quotes(name), ")"});
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
