// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Times as integer multiples of a unit, with exact sums.
///
/// The unit is a power of ten if all times are multiples of one, such as times that people write; otherwise a power of
/// two, and times are rounded.
struct whole_times {
  double unit = 1;   ///< in the user's unit
  double step = 1;   ///< divides all times, in units
  double error = 0;  ///< largest error of the sum of all passes, in the user's unit

  /// @param times  all times, not negative; `counts` has the most occurrences of each in an iteration
  /// @param most   upper bound of an iteration
  whole_times(const std::vector<double>& times, const std::vector<double>& counts, double most);

  /// A time in units.
  [[nodiscard]] double whole(double time) const noexcept {
    return static_cast<double>(static_cast<std::int64_t>(time / unit + 0.5));
  }

 private:
  /// Whether all times are multiples, except for the rounding of decimal fractions to doubles.
  [[nodiscard]] static bool divides(double candidate, const std::vector<double>& times) noexcept;

  void set_step(const std::vector<double>& times);
};

inline whole_times::whole_times(const std::vector<double>& times, const std::vector<double>& counts, double most) {
  if (!(most > 0)) return;
  for (double candidate = 1e3; candidate >= 1e-15; candidate /= 10) {
    if (most / candidate >= 0x1p50) break;
    if (!divides(candidate, times)) continue;
    unit = candidate;
    set_step(times);
    return;
  }
  unit = 1;
  while (most / unit >= 0x1p50) unit *= 2;
  while (most / unit < 0x1p48) unit /= 2;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double off = whole(times[i]) * unit - times[i];
    error += (off < 0 ? -off : off) * counts[i];
  }
  if (error > 0) error += most * 0x1p-44;
  set_step(times);
}

inline bool whole_times::divides(double candidate, const std::vector<double>& times) noexcept {
  for (const double time : times) {
    const double units = time / candidate;
    const auto rounded = static_cast<double>(static_cast<std::int64_t>(units + 0.5));
    const double off = units - rounded;
    if ((off < 0 ? -off : off) > rounded * 0x1p-49) return false;
  }
  return true;
}

inline void whole_times::set_step(const std::vector<double>& times) {
  std::uint64_t common = 0;
  for (const double time : times) {
    auto other = static_cast<std::uint64_t>(whole(time));
    while (other != 0) {
      const std::uint64_t rest = common % other;
      common = other;
      other = rest;
    }
  }
  step = common == 0 ? 1 : static_cast<double>(common);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
