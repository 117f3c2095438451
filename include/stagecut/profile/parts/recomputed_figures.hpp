// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/layer.hpp>

// What recomputation leaves as it is: the forward pass, the output, the parameters and their update.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A figure of a layer and of its recomputation that differ, although recomputation cannot change it.
struct changed_figure {
  const char* name = "";                ///< of the field; empty: there is none
  std::optional<double> recomputed{};   ///< its value in the recomputation
  std::optional<double> as_profiled{};  ///< its value in the layer
};

/// The first figure of a recomputation that only another layer can have. Parameters, resident bytes and update of 0, or
/// unset, are the layer's.
[[nodiscard]] inline changed_figure changed_figure_of(const layer& each, const layer_variant& way) {
  if (way.tensor_parallel != 1) return {"tensor_parallel", static_cast<double>(way.tensor_parallel), 1};
  if (way.forward != each.forward) return {"forward", way.forward, each.forward};
  if (way.output != each.output) return {"output", way.output, each.output};
  if (way.parameters != 0 && way.parameters != each.parameters) {
    return {"parameters", way.parameters, each.parameters};
  }
  if (way.resident.value_or(0) != 0 && way.resident != each.resident) return {"resident", way.resident, each.resident};
  if (way.update != 0 && way.update != each.update) return {"update", way.update, each.update};
  return {};
}

/// A recomputation with the parameters, resident bytes and update of its layer.
[[nodiscard]] inline layer_variant with_layer_figures(const layer& each, layer_variant way) {
  way.parameters = each.parameters;
  way.resident = each.resident;
  way.update = each.update;
  return way;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
