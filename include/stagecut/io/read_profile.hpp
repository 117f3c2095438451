// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads a profile in any known format, detected by content: see `parse_json_profile`, `parse_dnn_partitioning`,
/// `parse_dot`, `parse_csv`, `parse_pipedream` and `read_sapp_layers`. The constant of the last one is kept in
/// `unknown_fields`: `{"memory_constant": BYTES}`.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input
/// @param table   options for CSV, and where assumptions are noted
/// @throws        invalid_input with the position
[[nodiscard]] STAGECUT_DECL profile parse_profile(std::string_view text, std::string_view source,
                                                  const read_limits& limits = {}, const table_options& table = {});

/// Reads a profile from a stream up to its end; see `parse_profile`.
/// @throws invalid_input with the position, also if the stream cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL profile read_profile(std::istream& stream, std::string_view source,
                                                 const read_limits& limits = {}, const table_options& table = {});

/// Reads a profile from a file; see `parse_profile`.
/// @throws invalid_input with the path, also if the file cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL profile read_profile(const std::string& path, const read_limits& limits = {},
                                                 const table_options& table = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/read_profile.ipp>
#endif
