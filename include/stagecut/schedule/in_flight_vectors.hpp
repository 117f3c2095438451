// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Adds a vector unless another one dominates it, and removes those that it dominates.
STAGECUT_DECL void add_uncovered(std::vector<std::vector<std::size_t>>& vectors, const std::vector<std::size_t>& added);

}  // namespace detail

/// The microbatches whose activations the stages of each rank hold at the same time, in a schedule.
///
/// @param order  a schedule; if it has slices, counts slices in place of microbatches
/// @return       for every rank the non-dominated vectors, each with one number per stage of the rank, by stage: a rank
///               that holds w[v] of its stage v needs the sum of w[v] times the bytes of a microbatch of that stage,
///               and its peak is the maximum over the vectors. Of overlapping passes, forward counts first. I keeps
///               what W needs
/// @throws       invalid_input as `check_schedule`
///
/// O(ops * vectors * stages of a rank): one vector with one stage per rank, up to a dozen with three.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<std::vector<std::size_t>>> in_flight_vectors(const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/in_flight_vectors.ipp>
#endif
