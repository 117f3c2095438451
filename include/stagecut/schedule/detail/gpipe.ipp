// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/gpipe.hpp>

#include <cstddef>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL schedule gpipe(std::size_t ranks, std::size_t microbatches, backward_order order) {
  detail::check_shape("gpipe", ranks, 1, microbatches);
  const bool last_first = order == backward_order::last_in_first_out;
  schedule result =
      detail::empty_schedule(last_first ? "gpipe-lifo" : "gpipe", loop_placement(ranks, 1), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < microbatches; ++k) result.orders[r].push_back({op_kind::forward, r, k});
    for (std::size_t k = 0; k < microbatches; ++k) {
      result.orders[r].push_back({op_kind::backward, r, last_first ? microbatches - 1 - k : k});
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
