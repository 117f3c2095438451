// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule.hpp>

// Of which stages a target that finds the gradients of parameters behind those of a stage's inputs runs backward passes whole.
//
// PyTorch's I follows the gradients from the outputs of a stage to its inputs, and W begins at what it met. So a layer
// whose own inputs have no gradient is met by no I: its gradients are lost, unless it stands on stage 0, whose backward pass
// is run whole. Parameters that two layers of a stage share are asked for twice, which fails.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether the backward pass of a layer, wherever it stands but on stage 0, is run whole.
[[nodiscard]] STAGECUT_DECL bool is_run_whole(const layer& each) noexcept;

/// Of every layer i, the most j for which I and W of a stage `[i, j)` behind stage 0 can be run apart, at most the number of
/// layers; i: of no stage that begins with it. None where nothing but what stands on stage 0 anyway stands in the way.
/// O(n + t) for t ties.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> apart_until(const profile& model);

/// Why I and W of the layers `[first, last)` cannot be run apart, in words.
/// @pre `apart_until` says so
[[nodiscard]] STAGECUT_DECL std::string why_run_whole(const profile& model, std::size_t first, std::size_t last);

/// Of which stages an order runs I and W apart.
[[nodiscard]] STAGECUT_DECL std::vector<bool> stages_apart(const schedule& order, std::size_t stages);

/// Of which stage that has to be run whole an order runs I and W apart, in words; empty: of none.
/// @{
[[nodiscard]] STAGECUT_DECL std::string whole_obstacle(const profile& model, const cuts& at,
                                                       const std::vector<bool>& apart);
[[nodiscard]] STAGECUT_DECL std::string whole_obstacle(const target_entry& entry, const plan& made);
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/whole_backward.ipp>
#endif
