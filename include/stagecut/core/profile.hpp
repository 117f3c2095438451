// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/layer.hpp>

namespace stagecut::inline v0 {

/// What the layers of a model take, in the order in which data passes them.
struct profile {
  std::vector<layer> layers{};  ///< from the input to the output
  /// Whether the times are plain weights in a unit that only the user knows, not seconds.
  bool weights_only = false;
  std::string name{};            ///< of the model; may be empty
  std::string unknown_fields{};  ///< a JSON object of what this version does not know; empty: nothing

  /// The time of every layer, both passes: what a chain of layers is cut by.
  [[nodiscard]] std::vector<double> times() const {
    std::vector<double> result;
    result.reserve(layers.size());
    for (const layer& each : layers) result.push_back(each.time());
    return result;
  }

  /// Equal in every part.
  friend bool operator==(const profile&, const profile&) = default;
};

}  // namespace stagecut::inline v0
