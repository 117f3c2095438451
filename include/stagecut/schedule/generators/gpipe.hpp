// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// In which order backward passes follow.
enum class backward_order : std::uint8_t {
  first_in_first_out,  ///< microbatch 0 first: PyTorch
  last_in_first_out    ///< the last microbatch first: torchgpipe, SageMaker for TensorFlow, alpa
};

/// GPipe, fill and drain: all forward passes, then all backward passes.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @param order         of the backward passes; the makespan does not depend on it
/// @throws              argument_error
///
/// Every rank keeps the activations of m microbatches. Takes ΣF + (m - 1) max F + ΣB + (m - 1) max B without transfers.
///
/// Source: Huang et al., NeurIPS 2019.
[[nodiscard]] inline schedule gpipe(std::size_t ranks, std::size_t microbatches,
                                    backward_order order = backward_order::first_in_first_out) {
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
