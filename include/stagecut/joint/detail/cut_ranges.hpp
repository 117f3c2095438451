// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/layer_work.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The allowed positions of cut points: up to `around` layers before and after each of `points`.
[[nodiscard]] inline std::vector<option_builder::range> ranges_around(const std::vector<std::size_t>& points,
                                                                      std::size_t around, std::size_t layers);

/// The cut points if all stages take equally long, with the fastest choices.
[[nodiscard]] inline std::vector<std::size_t> even_points(const recompute_model& model, const whole_times& unit,
                                                          std::size_t stages);

inline std::vector<option_builder::range> ranges_around(const std::vector<std::size_t>& points, std::size_t around,
                                                        std::size_t layers) {
  std::vector<option_builder::range> result;
  for (const std::size_t point : points) {
    result.push_back({point < around ? 0 : point - around, point + around < layers ? point + around : layers});
  }
  return result;
}

inline std::vector<std::size_t> even_points(const recompute_model& model, const whole_times& unit, std::size_t stages) {
  const std::size_t layers = model.layers.size();
  const auto work = [&](std::size_t i) { return work_of(model.types[model.layers[i]], unit, true); };
  double all = 0;
  for (std::size_t i = 0; i < layers; ++i) all += work(i);
  std::vector<std::size_t> points;
  double sum = 0;
  std::size_t point = 0;
  for (std::size_t c = 0; c <= stages; ++c) {
    const double wanted = all * static_cast<double>(c) / static_cast<double>(stages);
    while (all > 0 && point < layers && sum + work(point) / 2 < wanted) sum += work(point++);
    points.push_back(all > 0 ? point : layers * c / stages);
  }
  return points;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
