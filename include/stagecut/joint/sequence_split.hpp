// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What a training run is like, of which the memory of slices depends. All at least 1.
struct sequence_figures {
  std::size_t batch = 1;            ///< sequences of a microbatch on a replica
  std::size_t length = 1;           ///< tokens of a sequence, before it is cut
  std::size_t hidden = 1;           ///< width of what layers hand on
  std::size_t heads = 1;            ///< of attention
  std::size_t head_width = 1;       ///< of each: keys and values of all heads are heads * head_width wide
  std::size_t vocabulary = 1;       ///< tokens that there are
  std::size_t tensor_parallel = 1;  ///< devices that share a layer
  /// Width of the inner layer of a feed-forward network, which SAPP takes for the head's memory without tensor parallelism.
  std::size_t feed_forward = 11008;
};

/// A model whose sequences are cut into slices, as SAPP's pipeline over sequences reckons it: the layers of one slice.
///
/// @param model    the layers, of whole sequences; times in any unit, bytes
/// @param figures  the training run
/// @param slices   S, at least 1; 1: the model as it is
/// @return         times and bytes sent divided by S. With K the bytes of the keys of a layer, as many as of its values,
///                 what is kept becomes (kept - 2K) / S + 2K, and 4K more stay with each layer; the head and the tail lose
///                 what slices spare them. Choices that keep less than 2K are left out, and those named `full`: keys and
///                 values of slices before may not be computed again. Workspace stays as it is
/// @throws         argument_error for a figure, or slices, of 0; invalid_input for a model that makes no sense, a type that is
///                 left without a choice, and a head or tail that keeps less than it would lose
///
/// All slices of a sequence count alike, though later ones attend to more tokens. O(n).
///
/// Source: SAPP's pipeline balance (`-seq`), MindFormers 0b3a3b55.
[[nodiscard]] STAGECUT_DECL recompute_model sequence_split(const recompute_model& model,
                                                           const sequence_figures& figures, std::size_t slices);

/// The same where nothing is known of the training run: times, bytes sent and all that is kept divided by S; what stays and
/// workspace are as they are, and nothing is added for keys and values, which are among what slices keep.
///
/// @throws  argument_error for slices of 0; invalid_input for a model that makes no sense, and a type that is left without a
///          choice, all being named `full`
[[nodiscard]] STAGECUT_DECL recompute_model sequence_split(const recompute_model& model, std::size_t slices);

/// The order for such a model: `sliced_one_forward_one_backward`, whose rank r keeps p - 1 - r + S slices.
///
/// @param ranks         p, at least 1
/// @param chunks        stages of every rank: 1. SAPP has an order for several, of which only the numbers of slices in
///                      flight are published; the library has no generator for it
/// @param microbatches  m, of whole sequences, at least 1
/// @param slices        S, at least 1
/// @throws              argument_error for another number of chunks, and as `sliced_one_forward_one_backward`
///
/// SAPP's simulator runs m microbatches in place of m S slices, and an order without slices: its times and peaks for such
/// plans mean nothing. `simulate_recomputation` with this order tells them.
[[nodiscard]] STAGECUT_DECL schedule sequence_split_order(std::size_t ranks, std::size_t chunks,
                                                          std::size_t microbatches, std::size_t slices);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sequence_split.ipp>
#endif
