// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/read_limits.hpp>

#include <nlohmann/json.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Keeps the order of the members.
using json = nlohmann::ordered_json;

/// Appends a member to an object, which must not have the key: `object[KEY]` would compare all keys.
STAGECUT_DECL void append_member(json& object, std::string key, json value);

/// One step of a JSON pointer, escaped as in RFC 6901, `visible`, and truncated if long.
[[nodiscard]] STAGECUT_DECL std::string json_step(std::string_view key);

/// The second of the first two members with equal keys; the number of members if there are none.
[[nodiscard]] STAGECUT_DECL std::size_t find_second(const json::object_t::Container& members);

/// The result of reading a JSON text.
struct json_reading {
  json value{};           ///< null if there is a problem
  std::string place{};    ///< of the problem: `:LINE`, `#POINTER`
  std::string problem{};  ///< empty: none
  bool is_json = true;    ///< whether the text is JSON, even if it is rejected
};

/// Reads any text without throwing.
[[nodiscard]] STAGECUT_DECL json_reading read_json(std::string_view text, std::size_t depth);

/// Reads a text of Python's module json: NaN, Infinity and -Infinity, which it writes for numbers, are `null`.
[[nodiscard]] STAGECUT_DECL json_reading read_python_json(std::string_view text, std::size_t depth);

/// Reads a text.
/// @throws invalid_input with `SOURCE:LINE` for invalid JSON, with `SOURCE#POINTER` for a duplicate key and beyond the
///         limit of depth, with `SOURCE` beyond the limit of size
/// @{
[[nodiscard]] STAGECUT_DECL json parse_json(std::string_view text, std::string_view source,
                                            const read_limits& limits = {});
[[nodiscard]] STAGECUT_DECL json parse_python_json(std::string_view text, std::string_view source,
                                                   const read_limits& limits);
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_parse.ipp>
#endif
