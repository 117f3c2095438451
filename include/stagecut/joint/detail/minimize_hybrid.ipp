// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_hybrid.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/hybrid_options.hpp>
#include <stagecut/joint/detail/hybrid_search.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<hybrid_cut> minimize_hybrid_fn::told(const detail::hybrid_options& options,
                                                           const hybrid_request& request,
                                                           const detail::hybrid_search& search, double most) {
  hybrid_cut cut;
  std::size_t device = request.devices;
  for (const auto each : search.best.options) device -= options[each].devices();
  for (std::size_t s = 0; s < search.best.options.size(); ++s) {
    const stage_option& option = options[search.best.options[s]];
    cut.stages.push_back({search.best.points[s], search.best.points[s + 1], device, option});
    device += option.devices();
  }
  cut.cost = search.makespan;
  const double found = search.bound();
  const double bound = found < most ? found : most;  // options that make it longer were left out
  const bool proved = !(bound < cut.cost * (1 - 0x1p-40));
  cut.bound = proved ? cut.cost : bound;
  cut.searches = search.looked_at;
  cut.simulations = search.simulations;
  return proved ? outcome<hybrid_cut>::optimal(std::move(cut)) : outcome<hybrid_cut>::feasible(std::move(cut));
}

}  // namespace stagecut::inline STAGECUT_ABI
