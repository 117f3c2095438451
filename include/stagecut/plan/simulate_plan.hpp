// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

// What a simulation of a plan needs, from the plan.
namespace stagecut::inline STAGECUT_ABI {

/// The edges between the stages of a plan; none where they are a chain.
[[nodiscard]] STAGECUT_DECL std::vector<stage_edge> stage_edges_of(const plan& made);

namespace detail {

/// The order that a plan gives, as it is.
[[nodiscard]] STAGECUT_DECL schedule given_order(const plan& made);

/// The schedule that a plan names.
[[nodiscard]] STAGECUT_DECL schedule named_schedule_of(const plan& made);

/// Refuses to run I and W of a stage apart that does not tell them apart.
[[noreturn]] STAGECUT_DECL void refuse_split(const plan& made, std::size_t s);

/// Bytes of a microbatch that every edge between a plan's stages carries, in their order.
[[nodiscard]] STAGECUT_DECL std::vector<double> message_bytes(const plan& made);

}  // namespace detail

/// The ops of a plan's schedule: its own order where it has one, else the schedule of its name, for its devices, chunks
/// and microbatches, and its microbatches in flight; with the edges between its stages.
///
/// @return  GPipe that keeps the activations of the last microbatch sends that back first, as torchgpipe does
/// @throws  invalid_input if the plan names no schedule or one that there is not, knows no microbatches, places its
///          stages on other devices than the schedule does, or gives an order that is none; argument_error for a shape
///          that the schedule cannot have
[[nodiscard]] STAGECUT_DECL schedule schedule_of(const plan& made);

/// How long the passes of a plan's stages take, in its unit; of slices an equal part each.
///
/// @param made   the plan
/// @param split  whether I and W are wanted beside B
/// @return       one element a stage; where the last microbatch alone computes nothing again, one a stage and microbatch
///               for B and I, and for W
/// @throws       invalid_input if I and W are wanted and a stage does not tell them apart
[[nodiscard]] STAGECUT_DECL pass_times<double> times_of(const plan& made, bool split);

/// What a plan's stages keep, of any schedule; empty where it does not know their memory.
[[nodiscard]] STAGECUT_DECL stage_bytes bytes_of(const plan& made);

/// What messages between a plan's stages take over its own links; none if it has none.
///
/// @param made    the plan
/// @param slices  of every microbatch, each a message of its own; 0: those of the plan's schedule
/// @return        of every edge between stages, in the order of the plan; of a chain, of every boundary
/// @throws        invalid_input for a kind that there is not, and for links neither one nor one for each of these
[[nodiscard]] STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, std::size_t slices = 0);

/// What messages between a plan's stages take: `latency`, and what an edge between stages carries divided by
/// `bandwidth`: of a chain, the output of the layer in front of a boundary; the gradients that come back are as large.
///
/// @param made       the plan
/// @param latency    of every message, in its unit of time
/// @param bandwidth  bytes in that unit; 0: infinite
/// @param kind       what messages occupy
/// @throws           argument_error if they are negative or not finite
[[nodiscard]] STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, double latency, double bandwidth,
                                                                transfer_kind kind = transfer_kind::link);

/// The bytes that a rank of a plan may take; unset: there is no limit.
[[nodiscard]] STAGECUT_DECL std::optional<double> memory_limit_of(const plan& made, std::size_t rank) noexcept;

/// Bytes of every device of a plan at its fullest moment; none where its memory is not known.
/// @throws  as `schedule_of`
[[nodiscard]] STAGECUT_DECL std::vector<double> device_memories(const plan& made);

/// Bytes of every stage of a plan at its own fullest moment, whatever else is on its device; where it is not predicted, as
/// `planned_stage::total_memory`.
/// @throws  as `schedule_of`
[[nodiscard]] STAGECUT_DECL std::vector<double> stage_memories(const plan& made);

/// Of devices the most; 0 where they are not known. Throws likewise.
[[nodiscard]] STAGECUT_DECL double fullest_device(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/simulate_plan.ipp>
#endif
