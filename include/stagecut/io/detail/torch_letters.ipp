// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/torch_letters.hpp>

#include <string_view>

#include <stagecut/core/names.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL bool torch_kind(std::string_view word, torch_letters letters, op_kind& kind) {
  if (letters == torch_letters::old) {
    if (word == "I") return false;
    if (word == "B") word = "I";
    if (word == "BW") word = "B";
  }
  const auto* const known = stagecut::find_name(op_names, word);
  if (known == nullptr || known->value == op_kind::optimizer_step) return false;
  kind = known->value;
  return true;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::io
