// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_times.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// A chain's times in integer ticks, a power of two of the user's unit: computations with them are exact. A pass of a
/// stage takes the sum of its items and the stage's own time.
///
/// The tick is as small as cuts of some makespan allow. A time that such a cut cannot contain, because it alone is
/// longer, counts as twice that makespan: then a cut that does contain it takes longer in ticks, too. See
/// docs/makespan.md, Rounding to ticks.
///
/// `tick_b` is B, or I where the schedule runs the gradients apart.
class chain_ticks : public chain_times {
 public:
  template <pipeline_model Model>
  chain_ticks(const Model& model, const schedule& order, const std::vector<link_speed>& links)
      : chain_times(model, order, links), unsure_(order.stages() > order.ranks() ? unsure : 0x1p-45) {
    scale(std::numeric_limits<double>::max());
  }

  /// Chooses the tick for cuts of makespan `most` or less, in the user's unit: `most` is below 2^50 ticks.
  ///
  /// @pre  there is an allowed cut of that makespan
  void scale(double most);

  /// The relative error of `domain_search` in the makespan.
  static constexpr double unsure = 0x1p-32;

  double tick = 1;  ///< in the user's unit

  /// The largest makespan for which cuts are represented correctly, in the user's unit.
  [[nodiscard]] double most() const noexcept { return most_; }
  /// The largest rounding error of the makespan of such a cut, in the user's unit; 0: nothing was rounded.
  [[nodiscard]] double error() const noexcept { return error_; }
  /// All makespans are multiples of this, in ticks: a power of two that divides every time.
  [[nodiscard]] double step() const noexcept { return step_; }
  /// All times, as devices read them; refers to the chain until the next `scale`.
  [[nodiscard]] tick_rows rows() const noexcept { return {sums_, own_, messages_, boundary_, items, stages}; }
  /// A pass of `[first, last)` as stage s.
  [[nodiscard]] double pass(std::size_t kind, std::size_t s, std::size_t first, std::size_t last) const noexcept {
    return rows().pass(kind, s, first, last);
  }
  /// All passes of a microbatch on stage s.
  [[nodiscard]] double load(std::size_t s, std::size_t first, std::size_t last) const noexcept {
    return pass(tick_f, s, first, last) + pass(tick_b, s, first, last) + pass(tick_w, s, first, last);
  }
  /// The time of item i in a pass of stage s.
  [[nodiscard]] double item(std::size_t kind, std::size_t s, std::size_t i) const noexcept;
  /// The time of item i in all passes of a microbatch on stage s.
  [[nodiscard]] double item_load(std::size_t s, std::size_t i) const noexcept {
    return item(tick_f, s, i) + item(tick_b, s, i) + item(tick_w, s, i);
  }
  /// The own time of stage s in a pass, besides its items.
  [[nodiscard]] double own(std::size_t kind, std::size_t s) const noexcept { return own_[kind * stages + s]; }
  /// The own time of stage s in all passes of a microbatch, besides its items.
  [[nodiscard]] double own_load(std::size_t s) const noexcept {
    return own(tick_f, s) + own(tick_b, s) + own(tick_w, s);
  }
  /// A message over the boundary after stage s, cut at y; the same in both directions.
  [[nodiscard]] double message(std::size_t s, std::size_t y) const noexcept { return rows().message(s, y); }
  /// Prefix sums of the times of items in passes of stage s.
  [[nodiscard]] const double* row(std::size_t kind, std::size_t s) const noexcept { return rows().row(kind, s); }
  /// The smallest `time(s)` of any stage s: a lower bound of an item's time wherever it is.
  template <class Time>
  [[nodiscard]] double least(const Time& time) const {
    double best = time(std::size_t{0});
    for (std::size_t s = 1; s < rows_per_kind_; ++s) {
      const double here = time(s);
      best = here < best ? here : best;
    }
    return best;
  }

 private:
  /// The exponent of a number that is 0 or normal.
  [[nodiscard]] static int exponent_of(double value) {
    return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52U) - 1023;
  }

  /// A time in ticks, and its error; times from `limit` on become `limit`.
  [[nodiscard]] double rounded(double time, double limit, double& off) const noexcept;

  /// Converts everything to ticks. False: they are too small, a sum over all items is not exact.
  bool fill();

  /// The power of two that divides all times.
  [[nodiscard]] double common_step() const;

  static constexpr int least_exponent = -1074;  // of a double

  double most_ = 0;
  double error_ = 0;
  double step_ = 1;
  double unsure_;              // relative error of sums of doubles in the makespan
  std::vector<double> own_{};  // as in `tick_rows`
  std::vector<double> sums_{};
  std::vector<double> messages_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/chain_ticks.ipp>
#endif
