// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The figures of a training run that determine the memory of slices. All at least 1.
struct sequence_figures {
  std::size_t batch = 1;            ///< sequences per microbatch on a replica
  std::size_t length = 1;           ///< tokens of a whole sequence
  std::size_t hidden = 1;           ///< width of the tensors between layers
  std::size_t heads = 1;            ///< attention heads
  std::size_t head_width = 1;       ///< of each: keys and values of all heads are heads * head_width wide
  std::size_t vocabulary = 1;       ///< size of the vocabulary
  std::size_t tensor_parallel = 1;  ///< tensor-parallel degree
  /// Width of the inner layer of a feed-forward network; SAPP uses it for the head's memory without tensor parallelism.
  std::size_t feed_forward = 11008;
};

/// Cuts the sequences of a model into slices, as SAPP's sequence pipeline models it: returns the layers of one slice.
///
/// @param model    the layers, of whole sequences; times in any unit, bytes
/// @param figures  the training run
/// @param slices   S, at least 1; 1: the model as it is
/// @return         times and sent bytes divided by S. With K the bytes of the keys of a layer, the same as of its
///                 values, kept bytes become (kept - 2K) / S + 2K, and each layer has 4K more resident bytes; the head
///                 and the tail lose what slices save them. Choices that keep less than 2K are left out, as are those
///                 named `full`: keys and values of earlier slices must not be recomputed. Workspace is unchanged
/// @throws         argument_error for a figure, or slices, of 0; invalid_input for an invalid model, a type left
///                 without a choice, and a head or tail that keeps less than it would lose
///
/// All slices of a sequence cost the same, though later ones attend to more tokens. O(n).
///
/// Source: SAPP's pipeline balance (`-seq`), MindFormers 0b3a3b55.
[[nodiscard]] STAGECUT_DECL recompute_model sequence_split(const recompute_model& model,
                                                           const sequence_figures& figures, std::size_t slices);

/// The same for an unknown training run: times, sent bytes and all kept bytes are divided by S; resident bytes and
/// workspace are unchanged, and nothing is added for keys and values, which are part of what slices keep.
///
/// @throws  argument_error for slices of 0; invalid_input for an invalid model, and for a type left without a choice,
///          all being named `full`
[[nodiscard]] STAGECUT_DECL recompute_model sequence_split(const recompute_model& model, std::size_t slices);

/// Returns the schedule for such a model: `sliced_one_forward_one_backward`, whose rank r keeps p - 1 - r + S slices.
///
/// @param ranks            p, at least 1
/// @param stages_per_rank  1. For more, only the numbers of slices in flight of SAPP's schedule are published; the library
///                         has no generator for it
/// @param microbatches     m, of whole sequences, at least 1
/// @param slices           S, at least 1
/// @throws              argument_error for another number of stages per rank, and as `sliced_one_forward_one_backward`
///
/// SAPP's simulator runs m microbatches instead of m S slices, with a schedule without slices: its times and peaks for
/// such plans mean nothing. `simulate_recomputation` with this schedule computes them.
[[nodiscard]] STAGECUT_DECL schedule sequence_split_order(std::size_t ranks, std::size_t stages_per_rank,
                                                          std::size_t microbatches, std::size_t slices);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sequence_split.ipp>
#endif
