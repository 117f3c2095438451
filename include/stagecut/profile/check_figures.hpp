// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Rejects a profile with a time or size that is NaN, infinite or negative, with one part of a backward pass without the
/// other, or with a forward time for an operator of the backward pass. For profiles built in code: readers of files check
/// these with the position in the file.
///
/// @throws invalid_input naming the layer and the field: `layer 3 ("head")`, `output = NaN, ...`
STAGECUT_DECL void check_figures(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/check_figures.ipp>
#endif
