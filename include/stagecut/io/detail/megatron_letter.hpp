// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The letter of a layer in a layout; 0: Megatron-LM places the layer itself.
[[nodiscard]] inline char megatron_letter(std::string_view kind, bool is_decoder) {
  if (is_decoder) return 't';
  if (kind == "embedding") return 'E';
  if (kind == "mtp") return 'm';
  return kind == "head" ? 'L' : '\0';
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
