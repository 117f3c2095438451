// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Layers that run equally fast on every device: cumulative figures before each point. Points are cut points of a
/// chain, or order ideals (sets of layers that contain all their predecessors), the smaller ones first.
struct placed_layers {
  std::vector<double> times{};       ///< both passes of a microbatch on one device, for every point; first 0
  std::vector<double> parameters{};  ///< bytes, for every point
  std::vector<double> messages{};    ///< bytes per microbatch that cross each point in one direction
  /// For each point, the points where a stage that ends there may begin; empty: all points before.
  std::vector<std::vector<std::size_t>> begins{};
};

/// A stage and where it runs.
struct placed_stage {
  std::size_t first = 0;                  ///< the point where it begins
  std::size_t last = 0;                   ///< the point where it ends
  std::vector<std::size_t> of_machine{};  ///< its number of devices on each machine
  placement how = placement::fresh;       ///< how they were taken
  stage_option option{};                  ///< its devices are replicas

  /// Equal in every part.
  friend bool operator==(const placed_stage&, const placed_stage&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
