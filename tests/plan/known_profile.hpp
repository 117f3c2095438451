// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/profile.hpp>

#include <vector>

// A chain whose best makespan is known.
namespace known_profile {

inline stagecut::profile chain_of(const std::vector<double>& forward) {
  stagecut::profile model;
  for (const double each : forward) {
    stagecut::layer one;
    one.name = "l";
    one.forward = each;
    one.backward = 2 * each;
    one.backward_input = one.backward_weight = each;
    one.parameters = 10;
    one.activations = 3;
    one.output = 1;
    model.layers.push_back(one);
  }
  return model;
}

inline const stagecut::profile known = chain_of({8, 11, 2, 1, 18, 5, 4, 11});

}  // namespace known_profile
