// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// The indices that a search has evaluated: `[first, next)`. A stopped search resumes at `next`.
struct searched {
  std::uint64_t first = 0;  ///< the first index
  std::uint64_t next = 0;   ///< the index after the last

  /// Equality of all members.
  friend bool operator==(const searched&, const searched&) = default;
};

/// A candidate with its score.
template <class Cost>
struct found {
  scored<Cost> score{};                 ///< its cost and index
  std::vector<std::uint32_t> points{};  ///< its numbers, as its space decodes them

  /// Equality of all members.
  friend bool operator==(const found&, const found&) = default;
};

/// The best candidate.
template <class Cost>
struct found_best : found<Cost> {
  searched range{};  ///< where it is the best

  /// Equality of all members.
  friend bool operator==(const found_best&, const found_best&) = default;
};

/// Some candidates, in the order of `precedes`.
template <class Cost>
struct found_some {
  std::vector<found<Cost>> all{};  ///< as many as requested, or all there are
  searched range{};                ///< where no others are better

  /// Equality of all members.
  friend bool operator==(const found_some&, const found_some&) = default;
};

/// All candidates up to a cost, by index.
template <class Cost>
struct found_below {
  std::vector<found<Cost>> all{};  ///< at most `capacity` of them
  std::uint64_t count = 0;         ///< their number in the range
  searched range{};                ///< where they are
  bool complete = false;           ///< whether `all` holds each of them in the requested range

  /// Equality of all members.
  friend bool operator==(const found_below&, const found_below&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
