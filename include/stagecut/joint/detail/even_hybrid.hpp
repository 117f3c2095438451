// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best plan of those whose stages have equally much to do on equally many devices, as far as that can be; none if none of
/// them fits. It is found at once, whatever the limits of the request are.
///
/// @param before  seconds of what lies before each point, of all points
[[nodiscard]] STAGECUT_DECL std::optional<hybrid_cut> even_hybrid(const any_stage_options& model,
                                                                  const hybrid_request& request,
                                                                  const std::vector<double>& before);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/even_hybrid.ipp>
#endif
