// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The two warm-ups of SAPP.
enum class sapp_memory : std::uint8_t {
  big,  ///< two more forward passes per later rank: Megatron-LM's, if p divides m
  less  ///< one more per later rank: fewer activations, longer bubbles
};

/// Interleaved 1F1B as SAPP plans it for MindSpore: the first group takes the remainder of m / p.
///
/// @param ranks         p, at least 1
/// @param stages_per_rank v, stages per rank, at least 1; with 1 it is 1F1B, big or not
/// @param microbatches  m, at least p: SAPP plans no fewer
/// @param memory        the warm-up
/// @throws              argument_error
///
/// Groups have p microbatches, the first p + m mod p = g. For v > 1 rank r keeps the activations of min(h(p - 1 - r) +
/// (v - 1)g + 1, vm) microbatches, each of one stage, where h is 2 for big, else 1. SAPP's own warm-up for less memory
/// counts p instead of g, and deadlocks if they differ.
///
/// Source: MindFormers, pipeline_balance, methods vpp and vpp2.
[[nodiscard]] STAGECUT_DECL schedule sapp_interleaved(std::size_t ranks, std::size_t stages_per_rank,
                                                      std::size_t microbatches, sapp_memory memory);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/sapp_interleaved.ipp>
#endif
