// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/makespan/layered_graph.hpp>
#include <stagecut/makespan/search_clock.hpp>

namespace stagecut::inline v0::detail {

/// The best cut so far and a bound for all, in ticks; tells of every change.
class incumbent {
 public:
  /// @param clock  that tells
  /// @param tick   in the user's unit
  incumbent(search_clock& clock, double tick) : clock_(clock), tick_(tick) {}

  /// Whether there is a cut.
  [[nodiscard]] bool any() const noexcept { return !points_.empty(); }
  /// Its points, makespan, and the bound, which is not above that.
  /// @{
  [[nodiscard]] const std::vector<std::size_t>& points() const noexcept { return points_; }
  [[nodiscard]] double makespan() const noexcept { return makespan_; }
  [[nodiscard]] double bound() const noexcept { return bound_ < makespan_ ? bound_ : makespan_; }
  /// @}
  /// Whether no cut is better.
  [[nodiscard]] bool proved() const noexcept { return any() && bound_ >= makespan_; }

  /// Takes a cut if it is better than the one before.
  void offer(view<const std::size_t> points, double makespan) {
    if (makespan < makespan_) replace(points, makespan);
  }
  /// Takes a cut that is as good, in its stead.
  void replace(view<const std::size_t> points, double makespan) {
    const bool better = makespan < makespan_;
    points_.assign(points.begin(), points.end());
    makespan_ = makespan;
    if (better) tell();
  }
  /// No cut is better than `bound`.
  void raise(double bound) {
    if (bound <= bound_) return;
    bound_ = bound;
    tell();
  }

 private:
  void tell() {
    clock_.state.makespan = any() ? makespan_ * tick_ : 0;
    clock_.state.bound = bound() * tick_;
    clock_.tell();
  }

  search_clock& clock_;
  double tick_;
  std::vector<std::size_t> points_{};
  double makespan_ = no_ticks;
  double bound_ = 0;
};

}  // namespace stagecut::inline v0::detail
