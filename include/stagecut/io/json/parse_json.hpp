// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/read_limits.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads any JSON text, under the rules under which profiles and plans are read: no key stands twice in its object, and
/// nothing is nested deeper than the limit, whatever the text.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read
/// @return        its value, the members in their order
/// @throws        invalid_input with `SOURCE:LINE` where the text is no JSON, with `SOURCE#POINTER` for a key that stands
///                twice and beyond the limit of depth, with `SOURCE` beyond that of bytes
[[nodiscard]] inline nlohmann::ordered_json parse_json(std::string_view text, std::string_view source,
                                                       const read_limits& limits = {}) {
  return detail::parse_json(text, source, limits);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
