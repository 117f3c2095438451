// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

#include <cstddef>
#include <vector>

namespace stagecut::inline STAGECUT_ABI {

/// Options of `layer_times`.
struct layer_time_options {
  std::size_t dropped = 0;  ///< ignored samples at the beginning of every layer, while caches and clocks warm up
  /// Most deviations from the median, where a deviation is scaled to the standard deviation of normal errors; infinity:
  /// any.
  double outlier_limit = 3.5;
};

/// The time of a layer from repeated measurements.
struct layer_time {
  double seconds = 0;         ///< median of the samples that are no outliers
  double first_quartile = 0;  ///< of the same samples; a quarter of them are below it
  double third_quartile = 0;  ///< of the same samples; three quarters of them are below it
  std::size_t samples = 0;    ///< number of these samples
  std::size_t outliers = 0;   ///< number of outliers, without the ignored samples at the beginning

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

/// Times of layers from repeated, partly disturbed measurements: the median of all samples that are not far from the
/// median.
///
/// @param samples  of every layer, seconds in the order of measuring; any number for each
/// @param options  the number of samples ignored at the beginning, and the limit for outliers
/// @return         for every layer its time, its spread and the number of outliers
/// @throws         invalid_input with `layer L` for one without samples after the ignored ones, and for samples that are
///                 negative or not finite; argument_error for an `outlier_limit` below 1 or NaN
///
/// Robust: if less than half of the samples are arbitrary, the median of all lies among the others, and the time is
/// within the limit of it. At least half are kept, since they are within one deviation. Exact except for rounding; the
/// order matters only for the ignored samples. O(n log n).
///
/// Source: B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers, 1993 (modified z-scores, whose limit is 3.5).
inline constexpr layer_times_fn layer_times{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/layer_times.ipp>
#endif
