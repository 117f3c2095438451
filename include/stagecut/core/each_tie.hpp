// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include <stagecut/core/layer.hpp>
#include <stagecut/core/profile.hpp>

namespace stagecut::inline v0::detail {

/// Shows the tied parameters of all layers, in their order, as `visit(LAYER, TIED, NAME)`: names have numbers from 0 on, in
/// the order in which they first stand. O(t log t) for t of them.
template <class Visit>
void each_tie(const profile& model, const Visit& visit) {
  std::map<std::string_view, std::size_t> names;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const tied_parameters& tied : model.layers[i].tied) {
      visit(i, tied, names.try_emplace(tied.name, names.size()).first->second);
    }
  }
}

}  // namespace stagecut::inline v0::detail
