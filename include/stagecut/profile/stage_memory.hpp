// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The memory of a stage on its device, in bytes.
struct stage_memory {
  double resident = 0;     ///< parameters, their gradients, optimizer state
  double activations = 0;  ///< kept for the backward pass, for all microbatches in flight
  double workspace = 0;    ///< of the layer that needs most
  double buffers = 0;      ///< for tensors received and sent at the stage's ends
  double recomputed = 0;   ///< recomputed for the backward passes of microbatches

  /// The sum of all parts.
  [[nodiscard]] double total() const noexcept { return resident + activations + workspace + buffers + recomputed; }

  /// Equal in every part.
  friend bool operator==(const stage_memory&, const stage_memory&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
