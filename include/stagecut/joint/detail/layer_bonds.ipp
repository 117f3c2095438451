// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/layer_bonds.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL layer_bonds::layer_bonds(const profile& model, const std::vector<std::size_t>& ways,
                                       const memory_options& memory, bool of_chain) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!model.layers[i].tied.empty()) find_shared(model, i, ways, memory);
  }
  find_together(model);
  if (of_chain) find_cuts(model.layers.size());
}

STAGECUT_DECL void layer_bonds::find_cuts(std::size_t size) {
  cuts_.assign(size + 1, 1);
  for (const auto& [first, last] : together_) {
    for (std::size_t point = first + 1; point <= last; ++point) cuts_[point] = 0;
  }
}

STAGECUT_DECL void layer_bonds::find_together(const profile& model) {
  const auto colocated = [](const layer& each, const std::string& name) {
    for (const tied_parameters& tied : each.tied.get()) {
      if (tied.name == name && tied.where == tied_parameters::placement::colocated) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& one = model.layers[i];
    for (std::size_t j = i + 1; j < model.layers.size(); ++j) {
      const layer& other = model.layers[j];
      if (!one.group.empty() && one.group.get() == other.group.get()) together_.emplace_back(i, j);
      for (const tied_parameters& tied : one.tied.get()) {
        if (tied.where == tied_parameters::placement::colocated && colocated(other, tied.name))
          together_.emplace_back(i, j);
      }
    }
  }
}

STAGECUT_DECL void layer_bonds::find_shared(const profile& model, std::size_t i, const std::vector<std::size_t>& ways,
                                            const memory_options& memory) {
  const layer& each = model.layers[i];
  std::vector<double> divisors;
  for (const std::size_t t : ways) {
    bool divided = false;
    for (const layer_variant& variant : each.shardings.get()) divided = divided || (t > 1 && variant.tensor_parallel == t);
    divisors.push_back(divided ? static_cast<double>(t) : 1);
  }
  for (const tied_parameters& tied : each.tied.get()) {
    const double resident = memory.resident_bytes(tied.bytes, tied.resident);
    for (const shared_parameters& other : shared_) {
      if (other.name != tied.name || (other.parameters == tied.bytes && other.resident == resident)) continue;
      fail(invalid_input(layer_text(model, i), joined({"shares ", in_quotes(tied.name), " with layer ", other.layer,
                                                       ", and says other bytes of it"})));
    }
    shared_.push_back({tied.name, i, resident, tied.bytes, divisors});
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
