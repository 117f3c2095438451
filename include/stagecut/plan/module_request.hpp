// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How the modules of a model are assigned to devices: see `partition_modules`.
struct module_request {
  std::size_t devices = 1;  ///< number of devices
  /// W of W * time + (1 - W) * memory, each as a share of the whole model's, from 0 to 1.
  double time_weight = 0.2;
  /// Bytes per byte of parameters: 1 counts these alone, 3 adds a gradient and a momentum.
  double parameter_multiplier = 1;
  bool activations = false;  ///< whether the activations of a microbatch also count as memory

  /// Member-wise equality.
  friend bool operator==(const module_request&, const module_request&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
