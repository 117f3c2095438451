// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/sliced.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL schedule sliced_one_forward_one_backward(std::size_t ranks, std::size_t microbatches,
                                                       std::size_t slices) {
  constexpr const char* function = "sliced_one_forward_one_backward";
  detail::check_shape(function, ranks, 1, microbatches);
  if (slices == 0) detail::refuse_shape(function, "slices", slices, "must be at least 1");
  if (slices > (std::size_t{1} << 28U) / (ranks * microbatches)) {
    detail::refuse_shape(function, "slices", slices, "makes more than 2^28 forward passes");
  }
  schedule result = detail::empty_schedule("seq-1f1b", loop_placement(ranks, 1), ranks, microbatches);
  result.slices = slices;
  std::vector<op> forward(microbatches * slices);
  std::vector<op> backward(microbatches * slices);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t unit = 0; unit < forward.size(); ++unit) {
      forward[unit] = {op_kind::forward, r, unit / slices, unit % slices};
      backward[unit] = {op_kind::backward, r, unit / slices, slices - 1 - unit % slices};
    }
    result.orders[r] = detail::one_and_one(forward, backward, ranks - 1 - r + slices - 1);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
