// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <variant>

#include <stagecut/core/config.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The content of a file.
using plan_or_profile = std::variant<plan, profile>;

/// Reads a plan, or a profile in any known format, detected by content: a JSON object whose `schema` begins with
/// `stagecut-plan` is a plan; for anything else see `parse_profile`.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input
/// @param table   options for CSV, and where assumptions are noted
/// @throws        invalid_input with the position
[[nodiscard]] STAGECUT_DECL plan_or_profile parse_plan_or_profile(std::string_view text, std::string_view source,
                                                                  const read_limits& limits = {},
                                                                  const table_options& table = {});

/// Reads a plan or a profile from a stream up to its end; see `parse_plan_or_profile`.
/// @throws invalid_input with the position, also if the stream cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL plan_or_profile read_plan_or_profile(std::istream& stream, std::string_view source,
                                                                 const read_limits& limits = {},
                                                                 const table_options& table = {});

/// Reads a plan or a profile from a file; see `parse_plan_or_profile`.
/// @throws invalid_input with the path, also if the file cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL plan_or_profile read_plan_or_profile(const std::string& path,
                                                                 const read_limits& limits = {},
                                                                 const table_options& table = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/read_plan_or_profile.ipp>
#endif
