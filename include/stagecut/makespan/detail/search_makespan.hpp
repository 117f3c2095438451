// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/core/separate.hpp>
#include <stagecut/makespan/cut_improver.hpp>
#include <stagecut/makespan/detail/chain_ticks.hpp>
#include <stagecut/makespan/detail/cut_rules.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#if STAGECUT_BODIES
#include <stagecut/makespan/detail/makespan_search.hpp>
#endif

namespace stagecut::inline v0::detail {

/// What `minimize_makespan` does once it has asked the model: the search, which is the same for all models.
[[nodiscard]] STAGECUT_INLINE outcome<makespan_cut> search_makespan(chain_ticks& chain, const makespan_request& request,
                                                                    const cut_rules& rules,
                                                                    cut_improver_ref improver = {});

#if STAGECUT_BODIES
STAGECUT_INLINE outcome<makespan_cut> search_makespan(chain_ticks& chain, const makespan_request& request,
                                                      const cut_rules& rules, cut_improver_ref improver) {
  return makespan_search(chain, request, rules, improver).run();
}
#endif

}  // namespace stagecut::inline v0::detail
