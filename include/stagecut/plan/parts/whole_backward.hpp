// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
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

/// Why I and W of the layers that a stage holds, or of `[first, last)`, cannot be run apart, in words; empty: they can.
/// @{
[[nodiscard]] STAGECUT_DECL std::string why_run_whole(const profile& model, function_ref<bool(std::size_t)> holds);
[[nodiscard]] STAGECUT_DECL std::string why_run_whole(const profile& model, std::size_t first, std::size_t last);
/// @}

/// Of which stages an order runs I and W apart.
[[nodiscard]] STAGECUT_DECL std::vector<bool> stages_apart(const schedule& order, std::size_t stages);

/// Of which stage that has to be run whole an order runs I and W apart, in words; empty: of none.
/// @{
[[nodiscard]] STAGECUT_DECL std::string whole_obstacle(const profile& model, const cuts& at,
                                                       const std::vector<bool>& apart);
[[nodiscard]] STAGECUT_DECL std::string whole_obstacle(const plan& made, const std::vector<bool>& apart);
[[nodiscard]] STAGECUT_DECL std::string whole_obstacle(const target_entry& entry, const plan& made);
/// @}

/// The stages of a request whose backward passes its target runs whole although their schedule has I and W.
enum class whole_stages : std::uint8_t {
  none,   ///< of no stage
  first,  ///< of stage 0, where W stands: PyTorch has nothing to compute for its I
  all     ///< of all, where I stands
};
[[nodiscard]] STAGECUT_DECL whole_stages whole_stages_of(const plan_request& request);

/// The same passes as parts: a whole one for W, with nothing for I, or for I, with nothing for W.
STAGECUT_DECL void run_whole(planned_stage& stage, bool for_weight) noexcept;

/// Whether a stage says such parts, and for which; unset: it says others.
[[nodiscard]] STAGECUT_DECL std::optional<bool> whole_for_weight(const planned_stage& stage) noexcept;

/// A model whose layers run all of their backward pass for I.
[[nodiscard]] STAGECUT_DECL profile with_whole_backward(profile model);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/whole_backward.ipp>
#endif
