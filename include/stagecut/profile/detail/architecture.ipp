// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/architecture.hpp>

#include <cstddef>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL bool sees_all(const vision_tower& v, std::size_t layer) {
  bool listed = false;
  for (const std::size_t each : v.full_layers) listed = listed || each == layer;
  return listed || v.window == 0;
}

STAGECUT_DECL layer_form form_of(const architecture& a, std::size_t layer) {
  if (a.forms.empty()) return {};
  return a.forms[layer < a.forms.size() ? layer : a.forms.size() - 1];
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
