// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Memory of a stage's layers while they run and recompute.
class recomputed_parts {
 public:
  void add(double workspace, double recomputed) noexcept {
    if (workspace_ < workspace) workspace_ = workspace;
    if (peak_ < workspace + recomputed) peak_ = workspace + recomputed;
    all_ += recomputed;
  }

  void write_to(planned_memory& memory) const noexcept {
    memory.workspace = workspace_;
    memory.recomputed = peak_ - workspace_;
    // For one layer the two are equal, up to rounding of sums.
    memory.recomputed_apart = all_ < memory.recomputed ? 0 : all_ - memory.recomputed;
  }

 private:
  double workspace_ = 0;
  double peak_ = 0;  // of a layer
  double all_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
