// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The time of a message between neighbouring stages: `latency`, plus its bytes divided by `bandwidth`.
struct link_speed {
  double latency = 0;    ///< in the model's unit of time
  double bandwidth = 0;  ///< bytes per unit of time; 0: infinite

  /// The time of a message.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(double bytes) const noexcept {
    return bandwidth == 0 ? latency : latency + bytes / bandwidth;
  }

  /// Equal in every part.
  friend bool operator==(const link_speed&, const link_speed&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
