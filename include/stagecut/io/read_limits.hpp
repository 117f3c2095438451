// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace stagecut::inline STAGECUT_ABI::io {

/// Limits on input, which may be untrusted and endless.
struct read_limits {
  std::size_t bytes = std::size_t{1} << 30U;  ///< of a text
  std::size_t depth = 64;                     ///< nesting depth of JSON objects and arrays; above 1000: 1000
};

namespace detail {

/// The depth limit of readers, which recurse.
[[nodiscard]] inline std::size_t most_depth(const read_limits& limits) noexcept {
  return limits.depth < 1000 ? limits.depth : 1000;
}

/// Rejects a text as too large.
[[noreturn]] STAGECUT_DECL void refuse_size(std::string_view source, const read_limits& limits);

/// Rejects a text larger than the limit.
inline void check_size(std::string_view text, std::string_view source, const read_limits& limits) {
  if (text.size() > limits.bytes) refuse_size(source, limits);
}

/// The error message for nesting deeper than the limit.
[[nodiscard]] STAGECUT_DECL std::string depth_problem(std::size_t depth);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/read_limits.ipp>
#endif
