// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/search_options.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/whole_ticks.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The best cut so far and a bound for all, in ticks; reports every change.
class incumbent {
 public:
  /// @param clock  that reports
  /// @param tick   in the user's unit
  /// @param error  the largest difference, in the user's unit, between the makespan of a cut and its value in ticks
  /// @param step   a power of two that divides all makespans in ticks; 1 if times, and so bounds, were rounded
  incumbent(search_clock& clock, double tick, double error = 0, double step = 1)
      : clock_(clock), tick_(tick), error_(error), step_(step) {}

  /// Forgets everything, for ticks of another size. Reported values stay reported.
  void restart(double tick, double error, double step = 1) {
    tick_ = tick;
    error_ = error;
    step_ = step;
    points_.clear();
    makespan_ = no_ticks;
    bound_ = 0;
  }

  /// Whether there is a cut.
  [[nodiscard]] bool any() const noexcept { return !points_.empty(); }
  /// The points, makespan, and the bound, which is not above that.
  /// @{
  [[nodiscard]] const std::vector<std::size_t>& points() const noexcept { return points_; }
  [[nodiscard]] double makespan() const noexcept { return makespan_; }
  [[nodiscard]] double bound() const noexcept { return bound_ < makespan_ ? bound_ : makespan_; }
  /// @}
  /// The proved part of the bound, in the user's unit.
  [[nodiscard]] double certain_bound() const noexcept {
    const double least = bound() * tick_ - error_;
    return least < 0 ? 0 : least;
  }
  /// Whether the cut is proved optimal.
  [[nodiscard]] bool proved() const noexcept { return any() && bound_ >= makespan_; }

  /// Takes a cut if it is better than the current one.
  void offer(view<const std::size_t> points, double makespan) {
    if (makespan < makespan_) replace(points, makespan);
  }
  /// Replaces the cut by an equally good one.
  void replace(view<const std::size_t> points, double makespan) {
    const bool better = makespan < makespan_;
    points_.assign(points.begin(), points.end());
    makespan_ = makespan;
    if (better) tell();
  }
  /// Raises the bound to `bound`, rounded up to the next multiple of the step: no cut is better.
  void raise(double bound) {
    if (step_ > 1) bound = whole_ticks_up(bound / step_) * step_;
    if (bound <= bound_) return;
    bound_ = bound;
    tell();
  }

 private:
  void tell() {
    // Coarser ticks never improve on the reported bound or makespan.
    search_progress& now = clock_.state;
    const double most = makespan_ * tick_ + error_;
    if (any() && (now.value == 0 || most < now.value)) now.value = most;
    if (now.bound < certain_bound()) now.bound = certain_bound();
    clock_.tell();
  }

  search_clock& clock_;
  double tick_;
  double error_;
  double step_;
  std::vector<std::size_t> points_{};
  double makespan_ = no_ticks;
  double bound_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
