// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The seconds of I and W of a stage, summed over its layers.
class backward_parts {
 public:
  /// Adds a layer, or a variant of one.
  template <class Each>
  void add(const Each& each) {
    known_ = known_ && each.backward_weight;
    weight_ += each.backward_weight.value_or(0);
    // A layer made by hand may have W alone.
    input_ += each.backward_input ? *each.backward_input : each.backward - each.backward_weight.value_or(0);
    whole_ += each.backward;
  }

  /// Whether all layers have them.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// Whether I + W differs from the whole backward passes by more than rounding.
  [[nodiscard]] bool apart() const noexcept;

  /// Writes them into a stage, if they are known and finite.
  ///
  /// @param speed  of its device
  /// @param again  seconds there of recomputation, before I
  void write_to(planned_stage& stage, double speed, double again) const;

 private:
  double input_ = 0;
  double weight_ = 0;
  double whole_ = 0;
  bool known_ = true;
};

inline bool backward_parts::apart() const noexcept {
  const double off = input_ + weight_ - whole_;
  return known_ && (off < 0 ? -off : off) > 0x1p-41 * (input_ + weight_ + whole_);
}

inline void backward_parts::write_to(planned_stage& stage, double speed, double again) const {
  if (!known_ || !is_finite(input_ / speed + weight_ / speed)) return;
  stage.backward_weight = weight_ / speed;
  if (apart()) stage.backward_input = input_ / speed + again;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
