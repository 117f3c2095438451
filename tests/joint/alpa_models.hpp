// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/joint/stage_options.hpp>

namespace joint_tests {

/// Layers that differ by some percent, on the submeshes that Alpa allows: 1, 2, 4 or all devices of a machine of 8, or whole
/// machines; each is recomputed or not.
struct alpa_layers {
  std::size_t layers = 16, devices = 64;
  double scale = 1;
  double activations = 0, resident = 0;
  mutable std::size_t asked = 0;

  [[nodiscard]] std::size_t size() const { return layers; }

  [[nodiscard]] double least_work(std::size_t point) const {
    double work = 0;
    for (std::size_t i = 0; i < point; ++i) work += 1 + static_cast<double>(i * 7919 % 101) / 997;
    return scale * work * (1 - 1e-9);
  }

  [[nodiscard]] double time_of(std::size_t first, std::size_t last, std::size_t ways, std::size_t choice) const {
    double work = 0;
    for (std::size_t i = first; i < last; ++i) work += 1 + static_cast<double>(i * 7919 % 101) / 997;
    double shares = 0;  // of a layer that is not divided
    for (std::size_t g = 1; g < ways; g *= 2) shares += 0.013 + 0.011 * static_cast<double>(g > 4);
    const double each = work * (1 / static_cast<double>(ways) + shares / 8) * (choice == 0 ? 1 : 4.0 / 3);
    return scale * (each + 0.01 * static_cast<double>((first * 31 + last * 17) % 13));
  }

  template <class Visit>
  void each_option(const stagecut::stage_query& query, const Visit& visit) const {
    ++asked;
    for (std::size_t ways = 1; ways <= devices; ways += ways < 8 ? ways : 8) {
      for (std::size_t choice = 0; choice < (activations > 0 ? 2 : 1); ++choice) {
        stagecut::stage_option option{1, ways, choice};
        const double share = static_cast<double>(query.last - query.first) / static_cast<double>(ways);
        option.time = time_of(query.first, query.last, ways, choice);
        option.activations = share * activations * (choice == 0 ? 1 : 0.125);
        option.resident = share * resident;
        if (option.time <= query.most_time) visit(option);
      }
    }
  }
};

/// The least length by trying thresholds from the least on, as Alpa does, but in doubles; those nearer than `gap` to the
/// last one are skipped.
struct alpa_sweep {
  double cost = std::numeric_limits<double>::max();
  std::size_t searches = 0;
};

inline alpa_sweep sweep_of(const alpa_layers& model, std::size_t microbatches, double gap,
                           std::optional<double> memory = {}) {
  struct choice_of_stage {
    std::size_t first, devices, most_behind;
    double time;
  };
  constexpr double none = std::numeric_limits<double>::max();
  std::vector<std::vector<choice_of_stage>> to(model.layers + 1);
  std::vector<double> times;
  for (std::size_t last = 1; last <= model.layers; ++last) {
    for (std::size_t first = 0; first < last; ++first) {
      model.each_option({first, last}, [&](const stagecut::stage_option& option) {
        std::size_t most = model.layers;
        while (memory && most > 0 &&
               option.resident + option.activations * static_cast<double>(std::min(most, microbatches)) > *memory) {
          --most;
        }
        if (most == 0) return;
        to[last].push_back({first, option.tensor_parallel, most - 1, option.time});
        times.push_back(option.time);
      });
    }
  }
  std::sort(times.begin(), times.end());
  const std::size_t depth = memory ? model.layers : 1;
  const auto factor = static_cast<double>(microbatches - 1);
  alpa_sweep best;
  double tried = -1;
  std::vector<double> sums((model.layers + 1) * (model.devices + 1) * (depth + 1));
  for (const double threshold : times) {
    if (threshold - tried < gap || threshold == tried) continue;
    if (threshold * static_cast<double>(microbatches) >= best.cost) break;
    tried = threshold;
    ++best.searches;
    const auto at = [&](std::size_t point, std::size_t devices, std::size_t behind) -> double& {
      return sums[(point * (model.devices + 1) + devices) * (depth + 1) + behind];
    };
    std::fill(sums.begin(), sums.end(), none);
    at(model.layers, 0, 0) = 0;
    for (std::size_t last = model.layers; last > 0; --last) {
      for (const choice_of_stage& choice : to[last]) {
        if (choice.time > threshold) continue;
        for (std::size_t used = 0; used + choice.devices <= model.devices; ++used) {
          for (std::size_t behind = 0; behind < depth && behind <= choice.most_behind; ++behind) {
            const double sum = at(last, used, behind);
            if (sum == none) continue;
            double& next = at(choice.first, used + choice.devices, memory ? behind + 1 : 0);
            next = std::min(next, choice.time + sum);
          }
        }
      }
    }
    for (std::size_t behind = 0; behind <= depth; ++behind) {
      const double sum = at(0, model.devices, behind);
      if (sum != none) best.cost = std::min(best.cost, sum + factor * threshold);
    }
  }
  return best;
}

}  // namespace joint_tests
