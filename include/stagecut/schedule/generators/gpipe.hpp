// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The order of the backward passes.
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
[[nodiscard]] STAGECUT_DECL schedule gpipe(std::size_t ranks, std::size_t microbatches,
                                           backward_order order = backward_order::first_in_first_out);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/gpipe.ipp>
#endif
