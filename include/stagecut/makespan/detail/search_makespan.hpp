// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/makespan/cut_improver.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What `minimize_makespan` does once it has asked the model: the search, which is the same for all models.
[[nodiscard]] STAGECUT_DECL outcome<makespan_cut> search_makespan(engine::chain_ticks& chain,
                                                                  const makespan_request& request,
                                                                  const engine::cut_rules& rules,
                                                                  cut_improver_ref improver = {});

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/search_makespan.ipp>
#endif
