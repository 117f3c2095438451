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

/// The schemas of files: those that are written, and earlier ones, which are read as well.
/// @{
inline constexpr std::string_view profile_schema = "stagecut-profile-2";
inline constexpr std::string_view first_profile_schema = "stagecut-profile-1";
inline constexpr std::string_view plan_schema = "stagecut-plan-3";
inline constexpr std::string_view second_plan_schema = "stagecut-plan-2";
inline constexpr std::string_view first_plan_schema = "stagecut-plan-1";
/// @}

/// Whether files of a schema are profiles, or plans, that are read.
/// @{
[[nodiscard]] inline bool is_profile_schema(std::string_view schema) {
  return schema == profile_schema || schema == first_profile_schema;
}
[[nodiscard]] inline bool is_plan_schema(std::string_view schema) {
  return schema == plan_schema || schema == second_plan_schema || schema == first_plan_schema;
}
/// @}

inline constexpr std::array<std::string_view, 7> profile_keys = {"schema", "name",  "weights_only", "inference",
                                                                 "layers", "edges", "machine"};

STAGECUT_DECL std::vector<profile_edge> read_edges(const json_value& value);

/// Reads a profile from a parsed JSON value.
STAGECUT_DECL profile read_json_profile(const json_value& value);

/// The fingerprint of a profile in a file of that schema, which names its members.
[[nodiscard]] STAGECUT_DECL std::string profile_hash(const profile& model, std::string_view schema);

/// The JSON of a profile, called `place` in errors.
STAGECUT_DECL std::string profile_text(const profile& model, const std::string& place);

}  // namespace detail

/// Reads a profile from JSON: an object of `docs/profile.schema.json`, `stagecut-profile-2`, or of the previous version,
/// whose names are converted.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input; unknown members may be nested half as deep
/// @return        the profile; unknown fields of it, its layers and their variants are kept in `unknown_fields`
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, with `SOURCE` beyond the limit of bytes, else with
///                `SOURCE#POINTER`
[[nodiscard]] STAGECUT_DECL profile parse_json_profile(std::string_view text, std::string_view source,
                                                       const read_limits& limits = {});

/// Writes a profile as JSON, one layer per line, without defaults, with its `unknown_fields`.
///
/// The output reads back as an equal profile, bit for bit. `unknown_fields` must have the form in which they are read: no
/// spaces, and within the limits of the reader.
///
/// @throws argument_error with the position of what could not be read back: no layer, a figure that is not finite or is
///         negative, a text that is not UTF-8, `unknown_fields` that are no JSON object or hold a known key; groups, tied
///         parameters, edges and children that contradict each other
[[nodiscard]] inline std::string as_json(const profile& model) { return detail::profile_text(model, "model#"); }

/// A fingerprint of a profile: 16 hexadecimal digits, equal for profiles that differ only in `unknown_fields`.
///
/// 64-bit FNV-1a over the JSON of all known fields without spaces: identification, not protection.
/// @throws argument_error as `as_json`, for a figure or a text
[[nodiscard]] STAGECUT_DECL std::string profile_hash(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_profile.ipp>
#endif
