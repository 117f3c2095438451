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

/// Reads a profile in any format known, told by its content: see `parse_json_profile`, `parse_dnn_partitioning`,
/// `parse_dot`, `parse_csv`, `parse_pipedream` and `read_sapp_layers`, whose constant then stands in `unknown_fields`:
/// `{"memory_constant": BYTES}`.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read
/// @param table   how a CSV is read, and where to note what was taken for granted of it
/// @throws        invalid_input with the place
[[nodiscard]] STAGECUT_DECL profile parse_profile(std::string_view text, std::string_view source,
                                                  const read_limits& limits = {}, const table_options& table = {});

/// Reads a profile from a stream up to its end; see `parse_profile`.
/// @throws invalid_input with the place, also if the stream cannot be read or holds more than the limit
[[nodiscard]] STAGECUT_DECL profile read_profile(std::istream& stream, std::string_view source,
                                                 const read_limits& limits = {}, const table_options& table = {});

/// Reads a profile from a file; see `parse_profile`.
/// @throws invalid_input with the path, also if the file cannot be read or holds more than the limit
[[nodiscard]] STAGECUT_DECL profile read_profile(const std::string& path, const read_limits& limits = {},
                                                 const table_options& table = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/read_profile.ipp>
#endif
