// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/known_options.hpp>

#include <limits>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void check_option(const stage_query& query, const stage_option& option) {
  constexpr double most = std::numeric_limits<double>::max();
  for (const double each : {option.forward, option.backward, option.time, option.message, option.all_reduce,
                            option.activations, option.resident}) {
    if (each >= 0 && each <= most) continue;
    fail(invalid_input(joined({"stage [", query.first, ", ", query.last, ")"}),
                       "an option has a time or bytes that are negative or not finite"));
  }
  if (option.replicas == 0 || option.ways == 0) {
    fail(
        invalid_input(joined({"stage [", query.first, ", ", query.last, ")"}), "an option has no replicas or no ways"));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
