// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// `warm_up` forward passes, then a forward and a backward pass in turn, then the remaining backward passes.
/// @pre as many backward passes as forward passes
[[nodiscard]] STAGECUT_DECL std::vector<op> one_and_one(view<const op> forward, view<const op> backward,
                                                        std::size_t warm_up);

/// One stage per rank, with the given number of microbatches in flight on each.
[[nodiscard]] STAGECUT_DECL schedule one_stage_a_rank(const char* name, view<const std::size_t> in_flight,
                                                      std::size_t microbatches);

/// Stages assigned in turn, microbatches in groups: `first` of them, then `group` each, the last group the remainder. A
/// group passes through all stages of a rank, backward from the last, before the next group. `warm_up` gives a rank's
/// forward passes before they alternate with backward passes; more than exist means all.
template <class WarmUp>
[[nodiscard]] inline schedule grouped_schedule(const char* name, std::size_t ranks, std::size_t stages_per_rank,
                                               std::size_t microbatches, std::size_t first, std::size_t group,
                                               const WarmUp& warm_up) {
  schedule result = empty_schedule(name, loop_placement(ranks, stages_per_rank), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<op> forward;
    std::vector<op> backward;
    std::size_t begin = 0;
    for (std::size_t size = first; begin < microbatches; begin += size, size = group) {
      if (size > microbatches - begin) size = microbatches - begin;
      for (std::size_t c = 0; c < stages_per_rank; ++c) {
        for (std::size_t k = begin; k < begin + size; ++k) {
          forward.push_back({op_kind::forward, c * ranks + r, k});
          backward.push_back({op_kind::backward, (stages_per_rank - 1 - c) * ranks + r, k});
        }
      }
    }
    result.orders[r] = one_and_one(forward, backward, warm_up(r));
  }
  return result;
}

/// The microbatches in flight on a rank of 1F1B: one, and `ahead` for each later rank.
[[nodiscard]] constexpr std::size_t let_in(std::size_t ahead, std::size_t ranks, std::size_t rank) noexcept {
  return ahead * (ranks - 1 - rank) + 1;
}

/// 1F1B with that number in flight.
[[nodiscard]] STAGECUT_DECL schedule letting_in(const char* name, std::size_t ahead, std::size_t ranks,
                                                std::size_t microbatches);

}  // namespace detail

/// 1F1B with a given number of microbatches in flight on each rank; then backward and forward passes alternate, first
/// in, first out.
///
/// @param in_flight     N of every rank, at least 1; of length p, at least 1. Values above m count as m; after that
///                      none may exceed the previous rank's, which it would wait for forever
/// @param microbatches  m, at least 1
/// @return              rank r runs N forward passes, then a backward and a forward pass in turn, then the rest
/// @throws              argument_error
///
/// Rank r keeps the activations of min(N, m) microbatches. 1F1B, its eager form and GPipe are the cases p - r, 2(p - 1
/// - r) + 1 and m. Without transfers, for many microbatches, each adds the maximum of Σ(F + B) / (N[r] - N[k] + 1) over
/// all runs of ranks r..k to the makespan.
///
/// Source: the choice of N by memory is from Fan et al., DAPPLE, PPoPP 2021.
[[nodiscard]] STAGECUT_DECL schedule in_flight_order(view<const std::size_t> in_flight, std::size_t microbatches);

/// 1F1B (PipeDream-Flush, DAPPLE; SageMaker calls it interleaved): each rank admits one microbatch per rank from itself
/// on.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @throws              argument_error
///
/// Rank r keeps the activations of min(p - r, m) microbatches. Equal stages take (m + p - 1)(F + B) + 2c((p - 1) +
/// floor((m - 1)(p - 1) / p)), if every transfer takes c.
///
/// Source: Narayanan et al., ICML 2021; Fan et al., PPoPP 2021.
[[nodiscard]] STAGECUT_DECL schedule one_forward_one_backward(std::size_t ranks, std::size_t microbatches);

/// Eager 1F1B: admits about twice as many microbatches, to hide transfers.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @throws              argument_error
///
/// Rank r keeps the activations of min(2(p - 1 - r) + 1, m) microbatches. Equal stages take (m + p - 1)(F + B) + 2c(p -
/// 1) if a transfer's time c is at most (F + B) / 2.
///
/// Source: Fan et al., PPoPP 2021, the second of two policies; Zhuang et al., MLSys 2023.
[[nodiscard]] STAGECUT_DECL schedule eager_one_forward_one_backward(std::size_t ranks, std::size_t microbatches);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/one_forward_one_backward.ipp>
#endif
