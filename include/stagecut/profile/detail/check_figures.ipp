// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/check_figures.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL void check_figures(const profile& model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    const auto check = [&](std::string_view field, std::optional<double> value) {
      if (!value || (is_finite(*value) && !is_negative(*value))) return;
      const std::string shown = is_nan(*value) ? "NaN" : is_finite(*value) ? std::to_string(*value) : "infinity";
      detail::fail(invalid_input(detail::layer_text(model, i),
                                 detail::joined({field, " = ", shown, ", must be finite and not negative"})));
    };
    detail::each_figure(each, check);
    if (each.backward_input.has_value() != each.backward_weight.has_value()) {
      detail::fail(invalid_input(detail::layer_text(model, i), each.backward_input
                                                                   ? "backward_input stands without backward_weight"
                                                                   : "backward_weight stands without backward_input"));
    }
    check("cpu", each.cpu);
    if (each.is_backward && each.forward > 0) {
      detail::fail(invalid_input(detail::layer_text(model, i), "is of the backward pass, and has a forward time"));
    }
    for (const tied_parameters& tied : each.tied) {
      check("tied bytes", tied.bytes);
      check("tied resident", tied.resident);
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
