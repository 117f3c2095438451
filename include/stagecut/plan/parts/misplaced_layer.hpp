// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The first layer on a stage where its target does not place it, in words; stages may be empty; empty text: none.
/// @pre `kinds_obstacle` finds none
[[nodiscard]] inline std::string misplaced_layer(const target_entry& entry, const profile& model,
                                                 const std::vector<std::size_t>& stages, std::size_t devices,
                                                 std::size_t count) {
  const target_kinds kinds(entry, model);
  const std::size_t last = count - 1;
  std::size_t first_late = model.layers.size();  // of those that are together on one of the last stages
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto misplaced = [&](std::string_view place) {
      return joined({kind_text(model.layers[i]), " on stage ", stages[i], ", and its place is ", place});
    };
    switch (kinds.place(i)) {
      case layer_place::any_stage:
      case layer_place::nowhere: break;
      case layer_place::first_stage:
        if (stages[i] != 0) return misplaced("stage 0, the first");
        break;
      case layer_place::last_stage:
        if (stages[i] != last) return misplaced(joined({"stage ", last, ", the last"}));
        break;
      case layer_place::one_of_the_last:
        if (first_late == model.layers.size()) first_late = i;
        if (stages[i] != stages[first_late]) {
          return misplaced(joined({"stage ", stages[first_late], ", where the first of its kind is"}));
        }
        if (stages[i] < last + 1 - devices) {
          return misplaced(joined({"the last stage of a device, from stage ", last + 1 - devices}));
        }
        break;
      case layer_place::with_last_decoder: {
        const std::size_t stage = stages[kinds.last_decoder()];
        if (stages[i] != stage) return misplaced(joined({"stage ", stage, ", where the last decoder is"}));
      }
    }
  }
  return "";
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
