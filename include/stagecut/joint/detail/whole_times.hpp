// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Times as whole numbers of a unit, of which sums are exact.
///
/// The unit is a power of ten where all times are multiples of one, as those that people write are; else a power of two,
/// and times are rounded.
struct whole_times {
  double unit = 1;   ///< in the user's unit
  double step = 1;   ///< divides all times, in units
  double error = 0;  ///< how far the sum of all passes may be off, in the user's unit

  /// @param times  all that there are, not negative, each with how often an iteration may have it
  /// @param most   what an iteration takes at most
  whole_times(const std::vector<double>& times, const std::vector<double>& counts, double most);

  /// A time in units.
  [[nodiscard]] double whole(double time) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(time / unit + 0.5));
  }

 private:
  /// Whether all times are multiples, but for what a decimal fraction is off as a double.
  [[nodiscard]] static bool divides(double candidate, const std::vector<double>& times) noexcept;

  void set_step(const std::vector<double>& times);
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/whole_times.ipp>
#endif
