// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/hybrid_plan_request.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_verification.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

#include <doctest/doctest.h>

namespace joint_tests {

/// Sixteen layers that may be recomputed, and shared by 2 or 4 devices.
inline stagecut::profile sixteen() {
  stagecut::profile made;
  for (std::size_t i = 0; i < 16; ++i) {
    stagecut::layer each;
    each.name = "layers." + std::to_string(i);
    each.kind = "decoder";
    each.forward = 0.01 + 0.001 * static_cast<double>(i % 3);
    each.backward = 2 * each.forward;
    each.parameters = 1e9;
    each.activations = 2e9;
    each.output = 1e7;
    each.workspace = 1e8;
    const auto as = [&](const std::string& name, std::size_t ways, bool again) {
      stagecut::layer_variant way;
      const double share = ways == 1 ? 1 : static_cast<double>(ways) / 1.2;
      way.name = name;
      way.tensor_parallel = ways;
      way.forward = each.forward / share;
      way.backward = (each.backward + (again ? each.forward : 0)) / share;
      way.parameters = each.parameters / static_cast<double>(ways);
      way.activations = (again ? 1e7 : 2e9) / static_cast<double>(ways);
      way.workspace = (again ? 5e8 : 1e8) / static_cast<double>(ways);
      way.output = each.output;
      if (again && ways > 1) way.recomputation = "full";
      return way;
    };
    each.recomputations = std::vector<stagecut::layer_variant>{as("full", 1, true)};
    each.shardings = std::vector<stagecut::layer_variant>{as("tp2", 2, false), as("tp2+full", 2, true), as("tp4", 4, false),
                                                as("tp4+full", 4, true)};
    made.layers.push_back(each);
  }
  return made;
}

inline stagecut::hybrid_plan_request two_nodes(double memory) {
  stagecut::hybrid_plan_request asked;
  asked.pipeline.devices = 8;
  asked.pipeline.microbatches = 16;
  asked.pipeline.memory_limit = memory;
  asked.choices.machine = stagecut::topology({4, 2}, {{2e-6, 300e9}, {5e-6, 25e9}});
  asked.choices.replicas = {1, 2, 4, 8};
  asked.choices.tensor_parallel = {1, 2, 4};
  return asked;
}

inline void check_holds(const stagecut::profile& model, const stagecut::plan& made) {
  for (const stagecut::plan_check& check : stagecut::verify_plan(model, made).checks) {
    CAPTURE(check.name);
    CAPTURE(check.place);
    CAPTURE(check.why);
    CHECK(check.result != stagecut::check_result::broken);
  }
}

}  // namespace joint_tests
