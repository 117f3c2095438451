// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether microbatches can pass in groups of this size: Megatron-LM's rule, and all in one group, as in PyTorch if
/// they are fewer than the ranks. Other groups may deadlock.
[[nodiscard]] constexpr bool fits_group(std::size_t ranks, std::size_t microbatches, std::size_t group) noexcept {
  if (group == microbatches) return true;
  return group >= ranks && group <= microbatches && (microbatches % group == 0 || microbatches % group >= ranks);
}

/// The smallest group in which the microbatches can pass if they are not a multiple of the ranks: PyTorch's if it has
/// one.
[[nodiscard]] constexpr std::size_t smallest_group(std::size_t ranks, std::size_t microbatches) noexcept {
  std::size_t tried = 0;
  for (std::size_t whole = microbatches / ranks; whole > 0 && ++tried < 1000; --whole) {
    const std::size_t after = microbatches / (whole + 1) + 1;
    const std::size_t least = after < ranks ? ranks : after;
    if (fits_group(ranks, microbatches, least)) return least;  // of the sizes with that number of groups
    if (microbatches % whole == 0) return microbatches / whole;
  }
  return microbatches;
}

/// Rejects the groups of microbatches that Megatron-LM rejects, except a single group.
STAGECUT_DECL void check_group(std::string_view function, std::size_t ranks, std::size_t microbatches,
                               std::size_t group);

}  // namespace detail

/// Interleaved 1F1B: several stages per rank, through which microbatches pass in groups (Megatron-LM's virtual
/// pipeline).
///
/// @param ranks         p, at least 1
/// @param stages_per_rank v, stages per rank, at least 1; with 1 it is 1F1B, whatever the group
/// @param microbatches  m, at least 1; for v > 1 the remainder m mod G is 0 or at least p
/// @param group         G, microbatches that pass through a stage before the next stage's turn, from p to m, or m,
///                      however few; 0: p
/// @throws              argument_error
///
/// For v > 1 rank r keeps the activations of min(2(p - 1 - r) + (v - 1)G + 1, mv) microbatches, each of one stage. With
/// G = p > 1, p a divisor of m, equal stages take vm(F + B) + (p - 1)(F + B) + 2c(pv - 1), F and B of a stage, if a
/// transfer's time c is at most min(F, B) / 2. PyTorch's Interleaved1F1B has floor(m / p) groups, at least one, all of
/// one size.
///
/// Source: Narayanan et al., SC 2021; groups as in Megatron-LM.
[[nodiscard]] STAGECUT_DECL schedule interleaved_one_forward_one_backward(std::size_t ranks,
                                                                          std::size_t stages_per_rank,
                                                                          std::size_t microbatches,
                                                                          std::size_t group = 0);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/interleaved.ipp>
#endif
