// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Refuses an option whose figures make no sense.
inline void check_stage_option(const stage_option& option, std::size_t first, std::size_t last);

inline void check_stage_option(const stage_option& option, std::size_t first, std::size_t last) {
  const double figures[] = {option.forward,    option.backward,    option.time,    option.message,
                            option.all_reduce, option.activations, option.resident};
  bool sound = option.replicas != 0 && option.ways != 0;
  for (const double each : figures) sound = sound && is_finite(each) && !is_negative(each);
  if (sound) return;
  fail(invalid_input(joined({"option of the stage [", first, ", ", last, ")"}),
                     "replicas and ways must be at least 1, times and bytes finite and not negative"));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
