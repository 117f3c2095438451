// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// How many passes that make gradients, B, I and W, every stage has left.
class passes_left {
 public:
  explicit passes_left(const schedule& order) : left_(order.stages()) {
    for (const auto& rank : order.orders) {
      for (const op& each : rank) left_[each.stage] += makes_gradients(each.kind) ? 1U : 0U;
    }
  }

  /// Takes a pass off. Whether its stage has all gradients with it.
  [[nodiscard]] bool completes(const op& each) noexcept {
    return makes_gradients(each.kind) && --left_[each.stage] == 0;
  }

 private:
  [[nodiscard]] static bool makes_gradients(op_kind kind) noexcept {
    return is_compute(kind) && kind != op_kind::forward;
  }

  std::vector<std::size_t> left_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
