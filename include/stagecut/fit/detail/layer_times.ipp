// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/layer_times.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The quantile of sorted numbers, interpolated linearly.
///
/// Source: R. J. Hyndman and Y. Fan, Am. Stat. 50(4):361-365, 1996, definition 7.
[[nodiscard]] inline double quantile_of(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto before = static_cast<std::size_t>(at);
  if (before + 1 >= sorted.size()) return sorted.back();
  return sorted[before] + (at - static_cast<double>(before)) * (sorted[before + 1] - sorted[before]);
}

/// An estimate of the standard deviation of normal errors: the median absolute deviation from the median of sorted
/// numbers, or, if more than half of them are equal, the mean absolute deviation.
[[nodiscard]] inline double deviation_of(const std::vector<double>& sorted, double median) {
  constexpr double normal_median = 0.6744897501960817;  // of the absolute values of normal errors with deviation 1
  constexpr double normal_mean = 0.7978845608028654;    // of the same, sqrt(2 / pi)
  std::vector<double> off;
  double sum = 0;
  for (const double each : sorted) {
    off.push_back(each < median ? median - each : each - median);
    sum += off.back() / static_cast<double>(sorted.size());
  }
  std::sort(off.begin(), off.end());
  const double middle = quantile_of(off, 0.5);
  return middle > 0 ? middle / normal_median : sum / normal_mean;
}

/// Throws if the samples do not determine a time.
inline void check_samples(std::size_t layer, const std::vector<double>& of, std::size_t dropped) {
  const std::string place = joined({"layer ", layer});
  if (of.size() <= dropped) {
    fail(invalid_input(place, joined({"has ", of.size(), " samples, of which ", dropped, " are dropped"})));
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (is_finite(of[i]) && !is_negative(of[i])) continue;
    const std::string shown = is_nan(of[i]) ? "NaN" : number_text(of[i]);
    fail(invalid_input(place, joined({"sample ", i, " = ", shown, ", must be finite and not negative"})));
  }
}

STAGECUT_DECL layer_time time_of(std::vector<double> samples, double outlier_limit) {
  std::sort(samples.begin(), samples.end());
  const double median = quantile_of(samples, 0.5);
  layer_time result{.outliers = samples.size()};
  if (is_finite(outlier_limit)) {
    const double most_off = outlier_limit * deviation_of(samples, median);
    std::erase_if(samples, [&](double x) { return (x < median ? median - x : x - median) > most_off; });
  }
  result.samples = samples.size();
  result.outliers -= samples.size();
  result.seconds = quantile_of(samples, 0.5);
  result.first_quartile = quantile_of(samples, 0.25);
  result.third_quartile = quantile_of(samples, 0.75);
  return result;
}

}  // namespace detail

STAGECUT_DECL std::vector<layer_time> layer_times_fn::operator()(const std::vector<std::vector<double>>& samples,
                                                                 const layer_time_options& options) const {
  if (is_nan(options.outlier_limit) || !(options.outlier_limit >= 1)) {
    const std::string shown = is_nan(options.outlier_limit) ? "NaN" : detail::number_text(options.outlier_limit);
    detail::fail(argument_error("layer_times", "options.outlier_limit", shown, "must be at least 1"));
  }
  std::vector<layer_time> result;
  for (std::size_t l = 0; l < samples.size(); ++l) {
    detail::check_samples(l, samples[l], options.dropped);
    const auto first = samples[l].begin() + static_cast<std::ptrdiff_t>(options.dropped);
    result.push_back(detail::time_of({first, samples[l].end()}, options.outlier_limit));
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
