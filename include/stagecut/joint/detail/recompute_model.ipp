// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/recompute_model.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects a type with invalid figures, and names it.
inline void check_layer_type(const layer_type& type, const std::string& place, bool is_end) {
  const auto check = [&](const std::string& name, double value) {
    if (is_finite(value) && !is_negative(value)) return;
    const std::string shown = is_nan(value) ? "NaN" : number_text(value);
    fail(invalid_input(place, joined({name, " = ", shown, ", must be finite and not negative"})));
  };
  check("forward", type.forward);
  check("resident", type.resident);
  check("workspace", type.workspace);
  check("sent_bytes", type.sent_bytes);
  if (is_end ? type.choices.size() > 1 : type.choices.empty()) {
    fail(invalid_input(place,
                       joined({type.choices.size(), " choices, must be ", is_end ? "one or none" : "at least one"})));
  }
  for (std::size_t r = 0; r < type.choices.size(); ++r) {
    const recompute_choice& each = type.choices[r];
    const std::string of = joined({"choices[", r, "]."});
    check(joined({of, "backward"}), each.backward);
    check(joined({of, "backward_weight"}), each.backward_weight);
    check(joined({of, "activations"}), each.activations);
    check(joined({of, "workspace"}), each.workspace);
    check(joined({of, "recomputed_whole"}), each.recomputed_whole);
    check(joined({of, "recomputed_apart"}), each.recomputed_apart);
    if (each.backward_weight > each.backward) {
      fail(invalid_input(place, joined({of, "backward_weight is above the whole backward pass"})));
    }
  }
}

STAGECUT_DECL void check_recompute_model(const recompute_model& model) {
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    check_layer_type(model.types[t], joined({"types[", t, "] (", in_quotes(model.types[t].name), ")"}), false);
  }
  check_layer_type(model.head, "head", true);
  check_layer_type(model.tail, "tail", true);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i] < model.types.size()) continue;
    fail(invalid_input(joined({"layers[", i, "]"}),
                       joined({model.layers[i], ", must be below the number of types, ", model.types.size()})));
  }
  for (std::size_t t = 0; t < model.shared.size(); ++t) {
    if (is_finite(model.shared[t]) && !is_negative(model.shared[t])) continue;
    fail(invalid_input(joined({"shared[", t, "]"}), "must be finite and not negative"));
  }
  const auto check_shared = [&](const layer_type& type, const std::string& place) {
    for (const std::size_t each : type.shared) {
      if (each >= model.shared.size()) {
        fail(invalid_input(place, joined({"shared has ", each, ", and there are ", model.shared.size()})));
      }
    }
  };
  for (std::size_t t = 0; t < model.types.size(); ++t) check_shared(model.types[t], joined({"types[", t, "]"}));
  check_shared(model.head, "head");
  check_shared(model.tail, "tail");
  for (const std::size_t cut : model.forbidden_cuts) {
    if (cut > model.layers.size()) {
      fail(invalid_input("forbidden_cuts", joined({cut, ", must be at most ", model.layers.size()})));
    }
  }
  if (model.layers.empty()) fail(invalid_input("layers", "there are none"));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
