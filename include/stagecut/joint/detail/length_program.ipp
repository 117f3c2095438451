// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/length_program.hpp>

#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double length_terms::exposed(const stage_option& option, double behind, bool is_first,
                                           double hidden) noexcept {
  const double here = behind < option.all_reduce ? option.all_reduce : behind;
  if (is_first) return here;
  return here > hidden ? here - hidden : 0;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
