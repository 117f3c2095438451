// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Adds a vector unless another one is nowhere less, and removes those that are nowhere more.
STAGECUT_DECL void add_uncovered(std::vector<std::vector<std::size_t>>& vectors, const std::vector<std::size_t>& added);

}  // namespace detail

/// The microbatches whose activations the stages of each rank hold at the same time, in an order that is given.
///
/// @param order  a schedule; of one with slices, slices are counted in place of microbatches
/// @return       for every rank the vectors that no other one covers, each with a number for every stage of the rank, by
///               stage: a rank that holds w[v] of its stage v needs the sum of w[v] times what a microbatch of it keeps,
///               and the most over the vectors is the most that it ever needs. Passes that overlap count as forward first.
///               I keeps what it needs for W
/// @throws       invalid_input as `check_schedule`
///
/// O(ops * vectors * stages of a rank): one vector with one stage a rank, up to a dozen with three.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<std::vector<std::size_t>>> in_flight_vectors(const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/in_flight_vectors.ipp>
#endif
