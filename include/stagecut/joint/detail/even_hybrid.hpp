// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best plan of those whose stages have equally much to do on equally many devices, as far as that can be; none if none of
/// them fits. It is found at once, whatever the limits of the request are.
///
/// @param before  seconds of what lies before each point, of all points
[[nodiscard]] STAGECUT_DECL std::optional<hybrid_cut> even_hybrid(const any_stage_options& model,
                                                                  const hybrid_request& request,
                                                                  const std::vector<double>& before);

/// The fastest way to run a stage on so many devices with so many microbatches in flight.
[[nodiscard]] STAGECUT_DECL std::optional<stage_option> fastest_on(const any_stage_options& model,
                                                                   const stage_query& query, std::size_t devices,
                                                                   std::size_t held);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/even_hybrid.ipp>
#endif
