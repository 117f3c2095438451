// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Joins neighbours in one group.
STAGECUT_DECL void join_groups(const profile& model, std::vector<bool>& with_last);

/// Joins all layers from the first to the last that have the same colocated parameters.
STAGECUT_DECL void join_colocated(const profile& model, std::vector<bool>& with_last);

/// Joins layers that the caller wants in one stage.
STAGECUT_DECL void join_wanted(std::string_view function, const std::vector<std::size_t>& forbidden_cuts,
                               const std::vector<interval>& kept_together, std::vector<bool>& with_last);

/// See `layer_blocks`; errors name `function`.
[[nodiscard]] STAGECUT_DECL cuts blocks_of(std::string_view function, const profile& model,
                                           const std::vector<std::size_t>& forbidden_cuts,
                                           const std::vector<interval>& kept_together);

}  // namespace detail

/// The indivisible blocks of a chain's layers: neighbours in one group, all layers from the first to the last that
/// share colocated parameters, and further layers to keep together. Any other layer is a block of its own.
///
/// @param model           a chain
/// @param forbidden_cuts  c: no cut between the layers c - 1 and c
/// @param kept_together   intervals of layers, each in one stage
/// @return                the layers of each block, as the stages of these cuts: for `merged_items`
/// @throws                argument_error for a cut that is not between two layers, and for layers that do not exist
///
/// O(n + t) for t shared parameters, counted in each layer that has them, plus the layers kept together.
[[nodiscard]] inline cuts layer_blocks(const profile& model, const std::vector<std::size_t>& forbidden_cuts = {},
                                       const std::vector<interval>& kept_together = {}) {
  return detail::blocks_of("layer_blocks", model, forbidden_cuts, kept_together);
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/layer_blocks.ipp>
#endif
