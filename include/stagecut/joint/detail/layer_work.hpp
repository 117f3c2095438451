// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Both passes of a layer, in integer units, with its fastest or its slowest choice.
[[nodiscard]] inline double work_of(const layer_type& type, const whole_times& unit, bool fastest);

/// Both passes of all layers, head and tail.
[[nodiscard]] inline double work_of(const recompute_model& model, const whole_times& unit, bool fastest);

inline double work_of(const layer_type& type, const whole_times& unit, bool fastest) {
  double backward = type.choices.empty() ? 0 : unit.whole(type.choices[0].backward);
  for (const recompute_choice& each : type.choices) {
    const double here = unit.whole(each.backward);
    if (fastest ? here < backward : here > backward) backward = here;
  }
  return unit.whole(type.forward) + backward;
}

inline double work_of(const recompute_model& model, const whole_times& unit, bool fastest) {
  double sum = work_of(model.head, unit, fastest) + work_of(model.tail, unit, fastest);
  for (const std::size_t type : model.layers) sum += work_of(model.types[type], unit, fastest);
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
