// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/names.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The letter of layer i of a model in a layout, or in the pattern of a hybrid model; 0: Megatron-LM places the layer
/// itself.
[[nodiscard]] inline char megatron_letter(const stagecut::detail::target_kinds& kinds, const profile& model,
                                          std::size_t i) {
  const std::string& kind = model.layers[i].kind;
  if (kinds.is_hybrid()) return kinds.is_decoder(i) ? stagecut::find_name(pattern_kinds, kind)->letter : '\0';
  if (kinds.is_decoder(i)) return 't';
  if (kind == "embedding") return 'E';
  if (kind == "mtp") return 'm';
  return kind == "head" ? 'L' : '\0';
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
