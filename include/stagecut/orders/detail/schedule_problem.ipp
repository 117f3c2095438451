// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/schedule_problem.hpp>

#include <cstddef>
#include <cstdint>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::int64_t schedule_problem::freed(std::size_t letter) const noexcept {
  const std::size_t s = stage_of(letter);
  if (is_forward(letter)) return 0;
  if (is_weight(letter)) return late[s] + again[s];
  return split ? kept[s] - late[s] : kept[s] + again[s];
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
