// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What PipeDream's planner chooses on machines in machines, its stages on one device after the other; `cost` is its measure. None
/// where it cannot be run as it is (replicas, memory), on machines of one level, where the search by its formula alone finds the
/// same, and where the search would take long.
///
/// @param points  of the options: those of the chain, or, of a graph, of `states_of_graph`
[[nodiscard]] STAGECUT_DECL std::optional<hybrid_cut> nested_hybrid(const profile& model,
                                                                    const any_stage_options& points,
                                                                    const device_choices& choices,
                                                                    const hybrid_request& request);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/nested_hybrid.ipp>
#endif
