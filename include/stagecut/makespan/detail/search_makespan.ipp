// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/detail/search_makespan.hpp>

#include <stagecut/makespan/detail/makespan_search.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL outcome<makespan_cut> search_makespan(engine::chain_ticks& chain, const makespan_request& request,
                                                    const engine::cut_rules& rules, cut_improver_ref improver) {
  return makespan_search(chain, request, rules, improver).run();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
