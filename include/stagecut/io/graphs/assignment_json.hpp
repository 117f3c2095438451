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

/// The stage of every layer as an object, one a line.
[[nodiscard]] STAGECUT_DECL std::string stages_text(const plan& made, const std::vector<std::string>& names,
                                                    std::string_view function, std::string_view indent);

}  // namespace detail

/// A plan as an assignment of vertices to stages, by the ids of `vertex_ids`.
///
/// @return  `{"assignment": {ID: stage, ...}, "objective": {...}, "stages": [{"time", "communication", "memory",
///          "vertices"}, ...]}`. The objective is that of the plan. Of a stage, `time` is the seconds of both passes of
///          a microbatch; `communication` those of the outputs that cross its boundary, one way, each once whichever
///          stages take it, over the plan's links, else over that of the profile's machine, else 0, as for a stage on a
///          CPU, which has `"cpu": true`; `memory` the bytes of a device at most; `vertices` its ids
/// @throws  argument_error if the parts of the plan do not belong together, or an id is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_assignment_json(const plan& made);

/// The stage of every layer of a plan by its name, or by its number where names are empty or not unique.
///
/// @return  a JSON object, one layer a line
/// @throws  argument_error if the parts of the plan do not belong together, or a name is not UTF-8
[[nodiscard]] STAGECUT_DECL std::string as_stage_map(const plan& made);

/// Reads which stage every layer of a profile stands on, as `as_assignment_json` writes it.
///
/// @param text    an object with `assignment`, the stage of every vertex by the ids of `vertex_ids`; other members are
///                left out
/// @param source  what errors call it
/// @param model   the profile that was planned
/// @param limits  how much is read
/// @return        a stage of each layer, below the number of layers; not every one of them may have a layer
/// @throws        invalid_input with `SOURCE:LINE` where the text is no JSON, else with `SOURCE#POINTER`: for an id
///                that the profile has not, for one that is missing, and for a stage that is no number of one
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> parse_assignment_json(std::string_view text,
                                                                           std::string_view source,
                                                                           const profile& model,
                                                                           const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/assignment_json.ipp>
#endif
