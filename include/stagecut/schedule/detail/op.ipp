// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/op.hpp>

#include <string>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::string to_string(const op& each) {
  std::string text = std::to_string(each.stage);
  text += to_string(each.kind);
  if (has_microbatch(each.kind)) text += std::to_string(each.microbatch);
  if (each.slice != 0) text.append(":").append(std::to_string(each.slice));
  if (each.peer != op::neighbour) text.append(is_send(each.kind) ? ">" : "<").append(std::to_string(each.peer));
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI
