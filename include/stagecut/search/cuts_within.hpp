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

  /// Refuses more pairs of neighbouring points than can be numbered.
  static void check_edges(const std::vector<std::vector<std::uint32_t>>& kept);

  /// The places of every point from which the ends of the chain are reached by points that rise; none at all if there are
  /// no such cuts.
  [[nodiscard]] static std::vector<std::vector<std::uint32_t>> reachable(const std::vector<interval>& windows);
};

/// The cuts each of whose points lies in a window of its own, in lexicographic order.
///
/// @param windows  of every cut point, those of the two ends included, the places where it may be, the last one exclusive; that
///                 of an end holds one
/// @return         as a space; empty if no such points rise
/// @throws         argument_error for fewer than two windows, for one that ends before it begins, for an end that may move,
///                 and where 2^31 pairs would be needed
///
/// O(pairs of places of neighbouring points) time and memory.
inline constexpr cuts_within_fn cuts_within{};

/// See `all_cuts`.
struct all_cuts_fn {
  /// See `all_cuts`.
  [[nodiscard]] graph_paths operator()(std::size_t items, std::size_t stages) const;
};

/// All cuts of a chain into stages, in lexicographic order, as `cuts_within`; none if there are fewer items than stages.
///
/// @throws argument_error for no stages; as `cuts_within`
inline constexpr all_cuts_fn all_cuts{};

}  // namespace stagecut::inline STAGECUT_ABI::search

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/search/detail/cuts_within.ipp>
#endif
