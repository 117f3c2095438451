// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

#include <cstddef>
#include <vector>

namespace stagecut::inline STAGECUT_ABI {

/// How `layer_times` reads samples.
struct layer_time_options {
  std::size_t dropped = 0;  ///< samples at the beginning of every layer that are not read: caches and clocks warm up
  /// How many deviations a sample may be off the median, a deviation being as the standard one of normal errors; infinity: any.
  double outlier_limit = 3.5;
};

/// What a layer takes, of repeated measurements.
struct layer_time {
  double seconds = 0;         ///< the median of the samples that are no outliers
  double first_quartile = 0;  ///< of the same; a quarter of them are below it
  double third_quartile = 0;  ///< likewise, three quarters
  std::size_t samples = 0;    ///< so many these are
  std::size_t outliers = 0;   ///< so many were left out, without those at the beginning

  /// Equal in every part.
  friend bool operator==(const layer_time&, const layer_time&) = default;
};

namespace detail {

[[nodiscard]] STAGECUT_DECL layer_time time_of(std::vector<double> samples, double outlier_limit);

}  // namespace detail

/// See `layer_times`.
struct layer_times_fn {
  /// See `layer_times`.
  [[nodiscard]] std::vector<layer_time> operator()(const std::vector<std::vector<double>>& samples,
                                                   const layer_time_options& options = {}) const;
};

/// What layers take, of repeated measurements some of which something else disturbed: the median of all samples that are not
/// far off it.
///
/// @param samples  of every layer, seconds in the order of measuring; as many of each as one likes
/// @param options  how many are dropped at the beginning, and how far off is far
/// @return         of every layer its time, how far samples scatter and how many were left out
/// @throws         invalid_input with `layer L` for one without samples but those dropped, and for samples that are
///                 negative or not finite; argument_error for an `outlier_limit` below 1 or NaN
///
/// Less than half of the samples, whatever they are, do not carry the time away: the median of all lies among the others,
/// and the time within the limit of it. At least half are kept, as they are within one deviation. Exact but for rounding;
/// the order counts for those dropped alone. O(n log n).
///
/// Source: B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers, 1993 (modified z-scores, whose limit is 3.5).
inline constexpr layer_times_fn layer_times{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/layer_times.ipp>
#endif
