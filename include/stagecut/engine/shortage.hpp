// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>

// How much memory is missing: the least number of bytes that suffices.
namespace stagecut::inline STAGECUT_ABI::engine {

/// Nonnegative bytes as an integer, rounded up or down; at most 2^63.
/// @{
[[nodiscard]] STAGECUT_DECL std::size_t whole_bytes(double bytes);
[[nodiscard]] STAGECUT_DECL std::size_t floor_bytes(double bytes);
/// @}

/// The ends of a bisection for the fewest sufficient bytes.
struct byte_bracket {
  double low = 0;      ///< too few, as far as known
  double high = 0;     ///< the fewest tried that are not known to be too few
  bool fits = false;   ///< whether `high` suffices; otherwise it was too much to try, or is unknown
  bool known = false;  ///< whether every trial was decided: then nothing below `high` minus the gap suffices
};

/// Finds the fewest bytes for which `fits`, by doubling and bisection.
///
/// @param fits       `fits(bytes)`: whether that many bytes suffice, unset if unknown; monotone
/// @param low        too few, as far as known
/// @param high       the first bytes to try
/// @param gap        `gap(low)`: the allowed distance of the ends
/// @param doublings  the most doublings of `high`
template <class Fits, class Gap>
[[nodiscard]] byte_bracket least_that_fits(const Fits& fits, double low, double high, const Gap& gap,
                                           int doublings = std::numeric_limits<int>::max()) {
  std::optional<bool> enough = fits(high);
  for (int d = 0; enough == false && d < doublings; ++d) low = high, high *= 2, enough = fits(high);
  const bool any = enough == true;
  while (any && enough && high - low > gap(low)) {
    const auto middle = static_cast<double>(floor_bytes(low + (high - low) / 2));
    enough = low < middle && middle < high ? fits(middle) : std::nullopt;  // unset beyond 2^53 bytes
    if (enough) (*enough ? high : low) = middle;
  }
  return {low, high, any, enough.has_value()};
}

/// The same, to the byte.
template <class Fits>
[[nodiscard]] byte_bracket least_that_fits(const Fits& fits, double low) {
  const auto whole = static_cast<double>(floor_bytes(low));
  return engine::least_that_fits(fits, whole, 2 * whole + 2, [](double) { return 1.0; });
}

/// The smallest possible fullest stage over all cuts, where `held(s, first, last)` is infinite for what may not be
/// stage s; infinite if there is no cut. O(n² k) calls.
[[nodiscard]] STAGECUT_DECL double least_fullest(std::size_t items, std::size_t stages,
                                                 function_ref<double(std::size_t, std::size_t, std::size_t)> held);

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/shortage.ipp>
#endif
