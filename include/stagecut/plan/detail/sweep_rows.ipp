// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/detail/as_one_chain.hpp>
#include <stagecut/plan/detail/row_sweep.hpp>
#include <stagecut/plan/sweep_rows.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<sweep_row> sweep_rows_fn::operator()(const profile& model, const plan_request& request,
                                                                 const sweep_axes& axes, const sweep_options& options,
                                                                 const each_index_ref& for_each) const {
  return detail::as_one_chain("sweep_rows", model, request, [&](const profile& chain) {
    return detail::row_sweep(chain, request, axes, options, for_each).run();
  });
}

}  // namespace stagecut::inline STAGECUT_ABI
