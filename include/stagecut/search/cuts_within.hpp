// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/search/graph_paths.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// See `cuts_within`.
struct cuts_within_fn {
  /// See `cuts_within`.
  [[nodiscard]] graph_paths operator()(const std::vector<interval>& windows) const;

 private:
  static void check(const std::vector<interval>& windows);

  /// Rejects more pairs of neighbouring points than can be numbered.
  static void check_edges(const std::vector<std::vector<std::uint32_t>>& kept);

  /// For every point, the positions that lie on a strictly increasing sequence between the ends of the chain; empty if
  /// there are no such cuts.
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> reachable(const std::vector<interval>& windows);
};

/// The cuts whose points each lie in their own window, in lexicographic order.
///
/// @param windows  one per cut point, including both ends: its possible positions, end exclusive; the window of an end
///                 has one position
/// @return         a space; empty if no increasing points exist
/// @throws         argument_error for fewer than two windows, for one that ends before it begins, for an end with
///                 several positions, and if 2^31 pairs would be needed
///
/// O(pairs of positions of neighbouring points) time and memory.
inline constexpr cuts_within_fn cuts_within{};

/// See `all_cuts`.
struct all_cuts_fn {
  /// See `all_cuts`.
  [[nodiscard]] graph_paths operator()(std::size_t items, std::size_t stages) const;
};

/// All cuts of a chain into stages, in lexicographic order, as in `cuts_within`; none if there are fewer items than
/// stages.
///
/// @throws argument_error for no stages; as `cuts_within`
inline constexpr all_cuts_fn all_cuts{};

}  // namespace stagecut::inline STAGECUT_ABI::search

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/search/detail/cuts_within.ipp>
#endif
