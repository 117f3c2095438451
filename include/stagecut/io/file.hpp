// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The remaining content of a stream.
/// @param size  its length, if known
/// @throws invalid_input with the source if it cannot be read or exceeds the limit; reading stops there
[[nodiscard]] STAGECUT_DECL std::string stream_text(std::istream& stream, std::string_view source,
                                                    const read_limits& limits = {}, std::size_t size = 0);

/// The content of a file.
/// @throws invalid_input with the path if it cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL std::string file_text(const std::string& path, const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/file.ipp>
#endif
