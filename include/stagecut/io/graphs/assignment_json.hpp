// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The stage of every layer as a JSON object, one per line.
[[nodiscard]] STAGECUT_DECL std::string stages_text(const plan& made, const std::vector<std::string>& names,
                                                    std::string_view function, std::string_view indent);

}  // namespace detail

/// A plan as an assignment of vertices to stages, with the ids of `vertex_ids`.
///
/// @return  `{"assignment": {ID: stage, ...}, "objective": {...}, "stages": [{"time", "communication", "memory",
///          "vertices"}, ...]}`. The objective is the plan's. Of a stage, `time` is the seconds of both passes of a microbatch;
///          `communication` the seconds of the outputs that cross its boundary, one way, each counted once however many
///          stages receive it, over the plan's links, else over the link of the profile's machine, else 0, as for a stage
///          on a CPU, which has `"cpu": true`; `memory` the peak bytes of a device; `vertices` its ids
/// @throws  argument_error if the parts of the plan contradict each other, or an id is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_assignment_json(const plan& made);

/// The stage of every layer of a plan, by name, or by number if names are empty or not unique.
///
/// @return  a JSON object, one layer per line
/// @throws  argument_error if the parts of the plan contradict each other, or a name is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_stage_map(const plan& made);

/// Reads the stage of every layer of a profile, as written by `as_assignment_json`.
///
/// @param text    an object with `assignment`, the stage of every vertex by the ids of `vertex_ids`; ignores other
///                members
/// @param source  its name in errors
/// @param model   the profile that was planned
/// @param limits  limits on the input
/// @return        the stage of each layer, below the number of layers; some stages may be empty
/// @throws        invalid_input with `SOURCE:LINE` for invalid JSON, else with `SOURCE#POINTER`: for an id unknown to the
///                profile, a missing id, and a stage that is no valid number
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> parse_assignment_json(std::string_view text,
                                                                           std::string_view source,
                                                                           const profile& model,
                                                                           const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/assignment_json.ipp>
#endif
