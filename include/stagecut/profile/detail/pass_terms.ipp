// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/pass_terms.hpp>

#include <vector>

#include <stagecut/profile/roofline.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL double seconds_of(const std::vector<term>& pass) noexcept {
  double made = 0;
  for (const term& each : pass) made += each.seconds;
  return made;
}

STAGECUT_DECL double seconds_of(const std::vector<term>& pass, term_kind kind) noexcept {
  double made = 0;
  for (const term& each : pass) made += each.kind == kind ? each.seconds : 0;
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
