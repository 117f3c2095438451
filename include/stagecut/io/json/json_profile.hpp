// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

inline constexpr std::string_view profile_schema = "stagecut-profile-1";
inline constexpr std::string_view plan_schema = "stagecut-plan-2";
inline constexpr std::string_view first_plan_schema = "stagecut-plan-1";

inline constexpr std::array<std::string_view, 7> profile_keys = {"schema", "name",  "weights_only", "inference",
                                                                 "layers", "edges", "machine"};

STAGECUT_DECL std::vector<profile_edge> read_edges(const json_value& value);

/// A profile that stands in a JSON text.
STAGECUT_DECL profile read_json_profile(const json_value& value);

/// The text of a profile that errors call `place`.
STAGECUT_DECL std::string profile_text(const profile& model, const std::string& place);

}  // namespace detail

/// Reads a profile from JSON: an object of `docs/profile.schema.json`.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read; members that are not known may be nested half as deep
/// @return        the profile; what this version does not know of it, of its layers and their variants is kept in
///                `unknown_fields`
/// @throws        invalid_input with `SOURCE:LINE` where the text is no JSON, with `SOURCE` beyond the limit of bytes,
///                else with `SOURCE#POINTER`
[[nodiscard]] STAGECUT_DECL profile parse_json_profile(std::string_view text, std::string_view source,
                                                       const read_limits& limits = {});

/// Writes a profile as JSON, one layer a line, without what is at its default, and with its `unknown_fields`.
///
/// Whatever is written is read back as an equal profile, bit for bit; `unknown_fields` in the form in which they are
/// read: without spaces, and within the limits within which they were read.
///
/// @throws argument_error with the place of what could not be read back: no layer, a figure that is not finite or is
///         negative, a text that is not UTF-8, `unknown_fields` that are no JSON object or hold a known key, groups,
///         tied parameters, edges and children that contradict each other
[[nodiscard]] inline std::string as_json(const profile& model) { return detail::profile_text(model, "model#"); }

/// Tells profiles apart: 16 hexadecimal digits, equal for profiles that are equal but for `unknown_fields`.
///
/// FNV-1a of 64 bits over the JSON of all known fields without spaces: it identifies a profile, and protects nothing.
/// @throws argument_error as `as_json`, for a figure or a text
[[nodiscard]] STAGECUT_DECL std::string profile_hash(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_profile.ipp>
#endif
