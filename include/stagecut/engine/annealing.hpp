// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/seeded.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A temperature that falls geometrically from `hot` to `hot` / 50 in `steps` steps.
///
/// Source: S. Kirkpatrick et al., Optimization by simulated annealing, Science 1983.
class annealing {
 public:
  annealing(double hot, std::size_t steps) : heat_(hot), fall_(std::pow(0.02, 1 / static_cast<double>(steps))) {}

  void cool() noexcept { heat_ *= fall_; }
  /// How much worse a move may be now: by d with probability exp(-d / temperature).
  [[nodiscard]] double limit(seeded& random) const {
    return -heat_ * std::log(static_cast<double>((random.any() >> 11U) + 1) * 0x1p-53);
  }

 private:
  double heat_;
  double fall_;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
