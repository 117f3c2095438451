// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The nodes that the search for a plan visits by default: ten seconds or less on a core of 2024, and the same plan on
/// every machine, whatever its load.
///
/// @param request  devices, stages per rank, microbatches, objective and method; its `search` is ignored
[[nodiscard]] STAGECUT_DECL std::size_t usual_node_limit(const profile& model, const plan_request& request);

/// Returns the request with the usual limit of nodes, unless it has a limit of time or of nodes.
[[nodiscard]] STAGECUT_DECL plan_request with_usual_limit(const profile& model, plan_request request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/usual_search.ipp>
#endif
