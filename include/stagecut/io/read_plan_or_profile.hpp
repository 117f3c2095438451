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

/// What a file holds.
using plan_or_profile = std::variant<plan, profile>;

/// Reads a plan, or a profile in any format known, told by its content: a JSON object whose `schema` begins with
/// `stagecut-plan` is a plan; for anything else see `parse_profile`.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read
/// @param table   how a CSV is read, and where to note what was taken for granted of it
/// @throws        invalid_input with the place
[[nodiscard]] STAGECUT_DECL plan_or_profile parse_plan_or_profile(std::string_view text, std::string_view source,
                                                                  const read_limits& limits = {},
                                                                  const table_options& table = {});

/// Reads either from a stream up to its end; see `parse_plan_or_profile`.
/// @throws invalid_input with the place, also if the stream cannot be read or holds more than the limit
[[nodiscard]] STAGECUT_DECL plan_or_profile read_plan_or_profile(std::istream& stream, std::string_view source,
                                                                 const read_limits& limits = {},
                                                                 const table_options& table = {});

/// Reads either from a file; see `parse_plan_or_profile`.
/// @throws invalid_input with the path, also if the file cannot be read or holds more than the limit
[[nodiscard]] STAGECUT_DECL plan_or_profile read_plan_or_profile(const std::string& path,
                                                                 const read_limits& limits = {},
                                                                 const table_options& table = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/read_plan_or_profile.ipp>
#endif
