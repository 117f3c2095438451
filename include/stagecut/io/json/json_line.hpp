// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <string>

#include <nlohmann/json.hpp>

// The JSON style of this library's writers.
namespace stagecut::inline STAGECUT_ABI::io {

/// A value on one line, with a space after each comma and colon, members in their order.
/// @throws nlohmann::json::type_error for a text that is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string json_line(const nlohmann::ordered_json& value);

/// A number as JSON: without a fraction if it is exactly an integer; NaN and infinity, which JSON lacks, as `null`.
[[nodiscard]] STAGECUT_DECL nlohmann::ordered_json json_number(double value);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_line.ipp>
#endif
