// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// The indices that a search has looked at: `[first, next)`. A stopped one goes on at `next`.
struct searched {
  std::uint64_t first = 0;  ///< the first one
  std::uint64_t next = 0;   ///< the one behind the last

  /// Equal in every part.
  friend bool operator==(const searched&, const searched&) = default;
};

/// A candidate that was found.
template <class Cost>
struct found {
  scored<Cost> score{};                 ///< its cost and index
  std::vector<std::uint32_t> points{};  ///< its numbers, as its space decodes them

  /// Equal in every part.
  friend bool operator==(const found&, const found&) = default;
};

/// The best candidate.
template <class Cost>
struct found_best : found<Cost> {
  searched range{};  ///< of which it is the best

  /// Equal in every part.
  friend bool operator==(const found_best&, const found_best&) = default;
};

/// Some candidates, in the order of `precedes`.
template <class Cost>
struct found_some {
  std::vector<found<Cost>> all{};  ///< as many as were asked for, or all that there are
  searched range{};                ///< in which there are no better ones

  /// Equal in every part.
  friend bool operator==(const found_some&, const found_some&) = default;
};

/// All candidates up to some cost, by index.
template <class Cost>
struct found_below {
  std::vector<found<Cost>> all{};  ///< no more than there was room for
  std::uint64_t count = 0;         ///< how many there are in the range
  searched range{};                ///< in which they are
  bool complete = false;           ///< `all` holds each of them, of all candidates that were to be looked at

  /// Equal in every part.
  friend bool operator==(const found_below&, const found_below&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
