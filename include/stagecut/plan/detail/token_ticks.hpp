// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What stages add to the time per token, in whole ticks: their items at the speed of their device, and the message that
/// they send on. The tick is a power of two, so small that the whole has about 2^50 of them: sums are exact, and cuts tie
/// where times add up to the same.
class token_ticks {
 public:
  /// @param seconds  of every item, on a device of speed 1
  /// @param speeds   of every stage
  /// @param times    of messages
  /// @param links    between stages, which those are over; empty: messages take no time
  /// @throws         invalid_input if the whole has no finite time
  token_ticks(const std::vector<double>& seconds, const std::vector<double>& speeds, const cut_times& times, bool links)
      : times_(times), links_(links), items_(seconds.size()) {
    tick_ = tick_of(seconds, speeds);
    std::vector<double> of_rows;
    for (const double speed : speeds) {
      std::size_t row = 0;
      while (row < of_rows.size() && of_rows[row] != speed) ++row;
      row_of_.push_back(row);
      if (row < of_rows.size()) continue;
      of_rows.push_back(speed);
      std::vector<std::int64_t> sums{0};
      for (const double each : seconds) sums.push_back(sums.back() + ticks(each / speed));
      sums_.push_back(std::move(sums));
    }
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return items_; }
  /// The items `[first, last)` on the device of a stage.
  [[nodiscard]] std::int64_t computing(std::size_t s, std::size_t first, std::size_t last) const noexcept {
    const std::vector<std::int64_t>& sums = sums_[row_of_[s]];
    return sums[last] - sums[first];
  }
  /// With the message that it sends on.
  [[nodiscard]] std::int64_t operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return computing(s, first, last) + (links_ ? ticks(times_.sent(s, last)) : 0);
  }

 private:
  [[nodiscard]] std::int64_t ticks(double seconds) const { return static_cast<std::int64_t>(seconds / tick_ + 0.5); }

  /// No time per token is above 2^50 ticks.
  [[nodiscard]] double tick_of(const std::vector<double>& seconds, const std::vector<double>& speeds) const {
    double slowest = speeds[0];
    for (const double each : speeds) slowest = std::min(slowest, each);
    double most = 0;
    for (const double each : seconds) most += each / slowest;
    for (std::size_t s = 0; s + 1 < speeds.size() && links_; ++s) {
      double longest = 0;
      for (std::size_t cut = 1; cut < seconds.size(); ++cut) {
        const double here = times_.sent(s, cut);
        longest = std::max(longest, here);
      }
      most += longest;
    }
    if (!is_finite(most)) fail(invalid_input("model", "the time per token is out of range"));
    double tick = 0x1p-1022;
    while (tick * 0x1p50 < most) tick *= 2;
    return tick;
  }

  const cut_times& times_;
  bool links_;
  std::size_t items_;
  double tick_ = 1;
  std::vector<std::size_t> row_of_{};  // of every stage
  std::vector<std::vector<std::int64_t>> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
