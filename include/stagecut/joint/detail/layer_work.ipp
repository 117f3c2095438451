// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/layer_work.hpp>

#include <cstddef>

#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double work_of(const layer_type& type, const whole_times& unit, bool fastest) {
  double backward = type.choices.empty() ? 0 : unit.whole(type.choices[0].backward);
  for (const recompute_choice& each : type.choices) {
    const double here = unit.whole(each.backward);
    if (fastest ? here < backward : here > backward) backward = here;
  }
  return unit.whole(type.forward) + backward;
}

STAGECUT_DECL double work_of(const recompute_model& model, const whole_times& unit, bool fastest) {
  double sum = work_of(model.head, unit, fastest) + work_of(model.tail, unit, fastest);
  for (const std::size_t each : model.layers) sum += work_of(model.types[each], unit, fastest);
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
