// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Layers that every device runs as fast: what all before each point adds up to. Points are cut points of a chain, or sets of
/// layers, each with all that its layers need, the smaller ones first.
struct placed_layers {
  std::vector<double> times{};       ///< of both passes of a microbatch on one device, of every point; 0 at first
  std::vector<double> parameters{};  ///< bytes, likewise
  std::vector<double> messages{};    ///< bytes of a microbatch that cross each point in one direction
  /// Where a stage may begin that ends at each point; empty: at every point before.
  std::vector<std::vector<std::size_t>> begins{};
};

/// A stage and where it runs.
struct placed_stage {
  std::size_t first = 0;                  ///< the point where it begins
  std::size_t last = 0;                   ///< the point where it ends
  std::vector<std::size_t> of_machine{};  ///< how many devices it has of every machine
  placement how = placement::fresh;       ///< how they were taken
  stage_option option{};                  ///< its devices are replicas

  /// Equal in every part.
  friend bool operator==(const placed_stage&, const placed_stage&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
