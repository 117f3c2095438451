// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace stagecut::inline v0 {

/// What one layer of a model takes, for one microbatch where that matters. Times in seconds, sizes in bytes; finite and
/// not negative.
struct layer {
  std::string name;        ///< what the model calls it
  std::string kind;        ///< what layers alike have in common: `decoder`, `Conv2d`
  double forward = 0;      ///< seconds
  double backward = 0;     ///< seconds
  double parameters = 0;   ///< bytes
  double activations = 0;  ///< bytes kept from the forward to the backward pass
  double output = 0;       ///< bytes handed to the next layer

  /// Seconds of both passes.
  [[nodiscard]] double time() const noexcept { return forward + backward; }

  /// Equal in every part.
  friend bool operator==(const layer&, const layer&) = default;
};

}  // namespace stagecut::inline v0
