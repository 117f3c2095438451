// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/read_limits.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads any JSON text with the rules for profiles and plans: no duplicate key in an object, and no nesting beyond the
/// limit.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input
/// @return        its value, members in their order
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, with `SOURCE#POINTER` for a duplicate key and beyond
///                the limit of depth, with `SOURCE` beyond the limit of bytes
[[nodiscard]] inline nlohmann::ordered_json parse_json(std::string_view text, std::string_view source,
                                                       const read_limits& limits = {}) {
  return detail::parse_json(text, source, limits);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
