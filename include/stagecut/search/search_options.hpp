// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// How far a search of candidates is.
struct search_progress {
  std::uint64_t first = 0;                 ///< index at which it began
  std::uint64_t next = 0;                  ///< all before it, from `first` on, have been looked at
  std::uint64_t last = 0;                  ///< index behind the last one that it will look at
  std::uint64_t best = ~std::uint64_t{0};  ///< index of the best so far; where nothing is the best, of none
  double seconds = 0;                      ///< since it began
};

/// Which candidates to look at, and whom to ask and to tell. What is not said stays at its default.
struct search_options {
  std::uint64_t first = 0;                 ///< index of the first
  std::uint64_t last = ~std::uint64_t{0};  ///< index behind the last; beyond the space: all of them
  std::size_t chunk = 0;  ///< candidates between two looks at what follows, up to 2^32; 0: 2^18, on a device 2^22
  function_ref<bool()> stop{};             ///< true ends the search
  function_ref<void(const search_progress&)> progress{};  ///< told after each chunk
};

namespace detail {

/// The range that is searched.
struct index_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// That of a search.
[[nodiscard]] inline index_range checked_range(const char* who, const search_options& options, std::uint64_t size) {
  if (options.first > options.last) {
    stagecut::detail::fail(argument_error(who, "first", std::to_string(options.first), "must not be beyond last"));
  }
  if (options.chunk > (std::size_t{1} << 32U)) {
    stagecut::detail::fail(argument_error(who, "chunk", std::to_string(options.chunk), "must be at most 2^32"));
  }
  const std::uint64_t last = options.last < size ? options.last : size;
  return {options.first < last ? options.first : last, last};
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
