// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A measured message.
struct link_sample {
  double bytes = 0;    ///< its size
  double seconds = 0;  ///< from the beginning of the send to the end of the receive
};

/// A link fitted to measured messages, and the quality of the fit.
struct link_fit {
  link_speed link{};  ///< seconds, and bytes per second; latency 0: the times grow at least in proportion to the sizes
  double largest_error = 0;  ///< the largest error of the link for a sample, relative to its time
  std::size_t worst = 0;     ///< the first sample with this error
  /// The share of the squared relative errors that the link explains, compared with the best constant time, from 0 to 1.
  /// Near 0 the sizes explain nothing: they are too small to determine a bandwidth.
  double r_squared = 0;
};

/// See `fit_link`.
struct fit_link_fn {
  /// See `fit_link`.
  /// @{
  [[nodiscard]] link_fit operator()(view<const link_sample> samples) const;
  [[nodiscard]] link_fit operator()(std::initializer_list<link_sample> samples) const { return (*this)(view(samples)); }
  /// @}
};

/// Fits a link to measured messages: `seconds = latency + bytes / bandwidth`, both not negative.
///
/// @param samples  messages of at least two sizes, in any order; all have equal weight, so measure every size equally
///                 often
/// @return         the link with the least sum of squares of relative errors, and the quality of the fit
/// @throws         invalid_input with `sample I` for a size that is negative or not finite and a time that is not above 0
///                 or not finite; with `samples` if all sizes are the same (to 10^-9), if times do not grow with the size
///                 (the bandwidth would be infinite, and larger messages free), and if the link is not representable
///
/// Errors are relative to the measured time: sizes span six orders of magnitude, and times as many; in absolute errors,
/// the noise of the largest messages would dominate and leave the latency undetermined. A sample delayed by a disturbance
/// counts less the longer it took. Relative noise of s makes the times 2 s^2 too short: half a per cent for noise of 5 %.
///
/// Exact except for rounding; the order of the samples may change the last bits. O(n) time and memory.
///
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23, for two unknowns.
inline constexpr fit_link_fn fit_link{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_link.ipp>
#endif
