// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/fit_link.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Ranges of the samples' figures.
struct sample_extent {
  double smallest = 0;  ///< bytes
  double largest = 0;   ///< bytes
  double shortest = 0;  ///< seconds
};

/// Throws if the samples do not determine a link.
[[nodiscard]] inline sample_extent extent_of(view<const link_sample> samples) {
  const auto refuse_figure = [](std::size_t i, std::string_view name, double value, std::string_view requirement) {
    const std::string shown = is_nan(value) ? "NaN" : number_text(value);
    fail(invalid_input(joined({"sample ", i}), joined({name, " = ", shown, ", must be finite and ", requirement})));
  };
  sample_extent result;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto [bytes, seconds] = samples[i];
    if (!is_finite(bytes) || is_negative(bytes)) refuse_figure(i, "bytes", bytes, "not negative");
    if (!is_finite(seconds) || !(seconds > 0)) refuse_figure(i, "seconds", seconds, "above 0");
    if (i == 0 || bytes < result.smallest) result.smallest = bytes;
    if (i == 0 || bytes > result.largest) result.largest = bytes;
    if (i == 0 || seconds < result.shortest) result.shortest = seconds;
  }
  // Closer sizes cannot be distinguished from rounding errors of the times.
  if (!(result.largest - result.smallest > 1e-9 * result.largest)) {
    const std::string_view of = samples.empty() ? "there is none" : "all are of one size";
    fail(invalid_input("samples", joined({of, ", and latency and bandwidth need two sizes at least"})));
  }
  return result;
}

/// Minimizes the sum of squares of relative errors: `1 = (latency + bytes / bandwidth) / seconds` for every sample.
[[nodiscard]] inline link_speed least_squares(view<const link_sample> samples, const sample_extent& extent) {
  // In units of the shortest time and the largest size, all figures are at most 1.
  const auto rows = static_cast<Eigen::Index>(samples.size());
  Eigen::VectorXd constant(rows);  // the column of the latency
  Eigen::VectorXd sized(rows);     // the column of the time per byte
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto [bytes, seconds] = samples[static_cast<std::size_t>(i)];
    constant[i] = extent.shortest / seconds;
    sized[i] = constant[i] * (bytes / extent.largest);
  }
  const double norm = sized.stableNorm();
  sized /= norm;
  // First subtracts the constant part from both sides. Eigen's QR does the same and takes seconds to compile.
  const double square = constant.squaredNorm();
  const Eigen::VectorXd rest = sized - constant * (constant.dot(sized) / square);
  const Eigen::VectorXd wanted = Eigen::VectorXd::Ones(rows) - constant * (constant.sum() / square);
  const double best = rest.dot(wanted) / rest.squaredNorm();
  double latency = (constant.sum() - best * constant.dot(sized)) / square;
  double growth = best / norm;
  // Rounding errors of constant times do not define a bandwidth.
  if (growth * (1 - extent.smallest / extent.largest) <= 1e-12 * latency) {
    fail(invalid_input("samples",
                       "the time does not grow with the size: add larger messages, which determine the bandwidth"));
  }
  if (latency < 0) {  // then the best link without latency is the best of all
    latency = 0;
    growth = sized.sum() / norm;
  }
  return {extent.shortest * latency, extent.largest / (extent.shortest * growth)};
}

/// Evaluates how well a link predicts the times of the samples.
[[nodiscard]] inline link_fit judged(view<const link_sample> samples, const sample_extent& extent,
                                     const link_speed& link) {
  link_fit result{link};
  double sum = 0;
  double squares = 0;
  for (const auto [bytes, seconds] : samples) {
    const double weight = extent.shortest / seconds;
    sum += weight;
    squares += weight * weight;
  }
  double left = 0;
  double without = 0;  // with the best constant time
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double off = link(samples[i].bytes) / samples[i].seconds - 1;
    const double off_constant = sum / squares * (extent.shortest / samples[i].seconds) - 1;
    left += off * off;
    without += off_constant * off_constant;
    const double error = off < 0 ? -off : off;
    if (error > result.largest_error) result.largest_error = error, result.worst = i;
  }
  result.r_squared = left < without ? 1 - left / without : 0;
  return result;
}

}  // namespace detail

STAGECUT_DECL link_fit fit_link_fn::operator()(view<const link_sample> samples) const {
  const detail::sample_extent extent = detail::extent_of(samples);
  const link_speed link = detail::least_squares(samples, extent);
  if (!is_finite(link.latency) || !is_finite(link.bandwidth) || !(link.bandwidth > 0)) {
    detail::fail(invalid_input("samples", "latency or bandwidth is out of range"));
  }
  return detail::judged(samples, extent, link);
}

}  // namespace stagecut::inline STAGECUT_ABI
