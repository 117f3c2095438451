// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/detail/op_set.hpp>

#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL bool op_set::contains(op_kind kind, const op& of) const noexcept {
  if (!is_transfer(kind)) return contains_pass(kind, of);
  return (transfers_[at(links_.find(of)->edge, of)] & bit(kind)) != 0;
}

STAGECUT_DECL void op_set::insert(const op& each) noexcept {
  unsigned char& bits =
      is_transfer(each.kind) ? transfers_[at(links_.find(each)->edge, each)] : passes_[at(each.stage, each)];
  bits = static_cast<unsigned char>(bits | bit(each.kind));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
