// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What PipeDream's published planner chooses, its stages on one device after the other; `cost` is what it minimises: see
/// `nested_machines::as_published`. None where that cannot be run as it is (replicas, memory), and where the search would take
/// long.
///
/// @param points  of the options: those of the chain, or, of a graph, of `states_of_graph`
[[nodiscard]] STAGECUT_DECL std::optional<hybrid_cut> nested_hybrid(const profile& model,
                                                                    const any_stage_options& points,
                                                                    const device_choices& choices,
                                                                    const hybrid_request& request);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/nested_hybrid.ipp>
#endif
