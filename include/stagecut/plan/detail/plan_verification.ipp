// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_verification.hpp>

#include <string_view>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL bool plan_verification::holds() const noexcept {
  for (const plan_check& check : checks) {
    if (check.result == check_result::broken) return false;
  }
  return true;
}

STAGECUT_DECL const plan_check* plan_verification::find(std::string_view name) const noexcept {
  for (const plan_check& check : checks) {
    if (check.name == name) return &check;
  }
  return nullptr;
}

}  // namespace stagecut::inline STAGECUT_ABI
