// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/take_measured.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The ratio of measured to computed times for layers of a kind.
struct kind_scale {
  std::string kind{};
  double measured[2] = {0, 0};  ///< forward, backward
  double computed[2] = {0, 0};  ///< forward and backward, of the same layers

  [[nodiscard]] double of(std::size_t pass) const { return computed[pass] > 0 ? measured[pass] / computed[pass] : 1; }
};

STAGECUT_DECL void set_backward(layer& of, double seconds) {
  const double by = of.backward > 0 ? seconds / of.backward : 0;
  of.backward = seconds;
  if (of.backward_weight) *of.backward_weight *= by;
  if (of.backward_input) *of.backward_input = by > 0 ? *of.backward_input * by : seconds;
}

STAGECUT_DECL std::size_t place_of_layer(const profile& model, const std::string& name) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].name == name) return i;
  }
  fail(invalid_input("measured", joined({"the model has no layer ", in_quotes(name)})));
}

}  // namespace detail

STAGECUT_DECL void take_measured(profile& model, const std::vector<measured_layer>& measured) {
  std::vector<detail::kind_scale> scales;
  const auto scale_of = [&](const std::string& kind) -> detail::kind_scale& {
    for (auto& each : scales) {
      if (each.kind == kind) return each;
    }
    scales.push_back({kind});
    return scales.back();
  };
  std::vector<char> known[2] = {std::vector<char>(model.layers.size()), std::vector<char>(model.layers.size())};
  for (const measured_layer& each : measured) {
    const std::size_t i = detail::place_of_layer(model, each.name);
    layer& here = model.layers[i];
    detail::kind_scale& scale = scale_of(here.kind);
    if (each.forward && known[0][i] == 0) {
      scale.measured[0] += *each.forward;
      scale.computed[0] += here.forward;
      here.forward = *each.forward;
      known[0][i] = 1;
    }
    if (each.backward && known[1][i] == 0) {
      scale.measured[1] += *each.backward;
      scale.computed[1] += here.backward;
      detail::set_backward(here, *each.backward);
      known[1][i] = 1;
    }
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    layer& here = model.layers[i];
    const detail::kind_scale& scale = scale_of(here.kind);
    if (known[0][i] == 0) here.forward *= scale.of(0);
    if (known[1][i] == 0 && scale.computed[1] > 0) detail::set_backward(here, here.backward * scale.of(1));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
