// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <istream>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The members of a plan; the last is the name of `stages_per_rank` in earlier versions.
inline constexpr std::array<std::string_view, 19> plan_keys = {
    "schema",   "cuts",         "assignment", "objective",        "devices", "stages_per_rank", "stages",
    "edges",    "choices",      "schedule",   "memory",           "speeds",  "messages",        "makespan",
    "timeline", "profile_hash", "profile",    "own_microbatches", "chunks"};

STAGECUT_DECL plan read_json_plan(const json_value& value);

STAGECUT_DECL json objective_json(const objective_value& objective);

}  // namespace detail

/// Reads a plan from JSON: an object of `docs/plan.schema.json`, `stagecut-plan-3`, or of an earlier version: names of the
/// second and stage figures of the first, which are not those of one microbatch, are converted.
///
/// @param text    the content
/// @param source  its name in errors
/// @param limits  limits on the input; unknown members may be nested half as deep
/// @return        the plan; its unknown fields, and its profile's, are kept in `unknown_fields`
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, with `SOURCE` beyond the limit of bytes, else with
///                `SOURCE#POINTER`; also if the profile is not the one that was planned
[[nodiscard]] STAGECUT_DECL plan parse_json_plan(std::string_view text, std::string_view source,
                                                 const read_limits& limits = {});

/// Reads a plan from a stream up to its end; see `parse_json_plan`.
/// @throws invalid_input with the position, also if the stream cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL plan read_plan(std::istream& stream, std::string_view source,
                                           const read_limits& limits = {});

/// Reads a plan from a file; see `parse_json_plan`.
/// @throws invalid_input with the path, also if the file cannot be read or exceeds the limit
[[nodiscard]] STAGECUT_DECL plan read_plan(const std::string& path, const read_limits& limits = {});

/// Writes a plan as JSON, one stage per line, its profile last, with all `unknown_fields`.
///
/// The output reads back as an equal plan, bit for bit; for `unknown_fields` see the profile's `as_json`.
///
/// @throws argument_error with the position of what could not be read back: as for a profile; cuts, stages, devices and
///         passes that contradict each other; an empty stage
[[nodiscard]] STAGECUT_DECL std::string as_json(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_plan.ipp>
#endif
