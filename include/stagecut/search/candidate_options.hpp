// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// The progress of a search of candidates.
struct candidate_progress {
  std::uint64_t first = 0;                 ///< first index of the search
  std::uint64_t next = 0;                  ///< all indices from `first` to before it have been evaluated
  std::uint64_t last = 0;                  ///< index after the last one to evaluate
  std::uint64_t best = ~std::uint64_t{0};  ///< index of the best so far; `scored::none` if the search has no best
  double seconds = 0;                      ///< since the search began
};

/// The range to search, and callbacks. Unset fields keep their defaults.
struct candidate_options {
  std::uint64_t first = 0;                 ///< index of the first
  std::uint64_t last = ~std::uint64_t{0};  ///< index after the last; beyond the space: all of them
  std::size_t chunk = 0;                   ///< candidates between two callbacks, up to 2^32; 0: 2^18, on a device 2^22
  function_ref<bool()> stop{};             ///< true ends the search
  function_ref<void(const candidate_progress&)> progress{};  ///< called after each chunk
};

namespace detail {

/// The range to search.
struct index_range {
  std::uint64_t first;
  std::uint64_t last;
};

/// The range of a search.
[[nodiscard]] inline index_range checked_range(const char* who, const candidate_options& options, std::uint64_t size) {
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
