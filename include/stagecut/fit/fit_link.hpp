// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A message that was measured.
struct link_sample {
  double bytes = 0;    ///< its size
  double seconds = 0;  ///< from the beginning of the send to the end of the receive
};

/// A link made of measured messages, and how far it can be trusted.
struct link_fit {
  link_speed link{};  ///< seconds, and bytes a second; latency 0: the times grow faster than the sizes, or as fast
  double largest_error = 0;  ///< how far the link is off the time of a sample at most, as a share of that time
  std::size_t worst = 0;     ///< the sample that it is farthest off, the first of them
  /// The share of the squares of relative errors that are gone when the link takes the place of the one time that is
  /// best for all sizes, from 0 to 1. Near 0 the sizes explain nothing: they are too small to tell a bandwidth.
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

/// Fits a link to measured messages: `seconds = latency + bytes / bandwidth`, neither of them negative.
///
/// @param samples  messages of two sizes at least, in any order; all count alike, so measure every size equally often
/// @return         the link with the least sum of squares of relative errors, and how good it is
/// @throws         invalid_input with `sample I` for a size that is negative or not finite and a time that is not
///                 above 0 or not finite; with `samples` if all sizes are the same (to 10^-9), if times do not grow
///                 with the size (the bandwidth would be infinite, and larger messages free), and if the link is not
///                 representable
///
/// Errors are relative, each divided by the time measured: sizes span six orders of magnitude, and times as many; in
/// seconds the noise of the largest messages would be all that counts, and the latency anything. A sample that took too
/// long for some other reason counts the less the longer it took. Relative noise of s makes the times 2 s^2 too short:
/// a half per cent for noise of 5 %.
///
/// Exact but for rounding; the order of the samples may change the last bits. O(n) time and memory.
///
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23, for two unknowns.
inline constexpr fit_link_fn fit_link{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_link.ipp>
#endif
