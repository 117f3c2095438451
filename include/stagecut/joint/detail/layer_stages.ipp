// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/layer_stages.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::vector<stage_mixtures> layer_stages::mixtures_of(const std::vector<std::size_t>& layers,
                                                                    std::size_t w) const {
  std::vector<stage_mixtures> steps(1, stage_mixtures(choices_.relaxed));
  for (std::size_t i = layers.size(); i-- > 0;) {
    steps.push_back(steps.back());
    steps.back().add(layers_.of(w, layers[i]));
  }
  return steps;
}

STAGECUT_DECL std::vector<std::size_t> layer_stages::mixture_of(const std::vector<std::size_t>& layers,
                                                                const stage_option& option) const {
  const std::vector<stage_mixtures> steps = mixtures_of(layers, stages_.way_of(option.tensor_parallel));
  std::vector<std::size_t> result;
  std::size_t point = option.choice;
  for (std::size_t i = steps.size(); i-- > 1;) {
    const stage_mixtures::origin from = steps[i].from(point);
    result.push_back(from.alternative);
    point = from.point;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
