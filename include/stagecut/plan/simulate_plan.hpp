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

/// The edges between the stages of a plan; none if they form a chain.
[[nodiscard]] STAGECUT_DECL std::vector<stage_edge> stage_edges_of(const plan& made);

namespace detail {

/// The order that a plan contains, unchanged.
[[nodiscard]] STAGECUT_DECL schedule given_order(const plan& made);

/// The schedule that a plan names.
[[nodiscard]] STAGECUT_DECL schedule named_schedule_of(const plan& made);

/// Rejects running I and W separately for a stage without separate times.
[[noreturn]] STAGECUT_DECL void refuse_split(const plan& made, std::size_t s);

/// Bytes of a microbatch on each edge between a plan's stages, in their order.
[[nodiscard]] STAGECUT_DECL std::vector<double> message_bytes(const plan& made);

}  // namespace detail

/// The ops of a plan's schedule: its own order if it has one, else the schedule of its name, for its devices, stages
/// per rank and microbatches, and its microbatches in flight; with the edges between its stages.
///
/// @return  a GPipe schedule that keeps the activations of the last microbatch sends that back first, as torchgpipe
///          does
/// @throws  invalid_input if the plan names no schedule or an unknown one, has no microbatches, places its stages on
///          other devices than the schedule does, or has an invalid order; argument_error for a shape that the schedule
///          cannot have
[[nodiscard]] STAGECUT_DECL schedule schedule_of(const plan& made);

/// Pass durations of a plan's stages, in its unit; slices have equal parts.
///
/// @param made   the plan
/// @param split  whether I and W are needed in addition to B
/// @return       one element per stage; if the last microbatch alone recomputes nothing, one per stage and microbatch
///               for B and I, and for W
/// @throws       invalid_input if I and W are needed and a stage does not have them
[[nodiscard]] STAGECUT_DECL pass_times<double> times_of(const plan& made, bool split);

/// What a plan's stages keep, for any schedule; empty if it does not know their memory.
[[nodiscard]] STAGECUT_DECL stage_bytes bytes_of(const plan& made);

/// Message times between a plan's stages over its own links; none if it has none.
///
/// @param made    the plan
/// @param slices  per microbatch, each with its own message; 0: those of the plan's schedule
/// @return        for each edge between stages, in the order of the plan; for a chain, for each boundary
/// @throws        invalid_input for an unknown kind, and unless there is one link or one for each of these
[[nodiscard]] STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, std::size_t slices = 0);

/// Message times between a plan's stages: `latency` plus the bytes of an edge divided by `bandwidth`: in a chain, the
/// output of the layer before a boundary; the returning gradients are as large.
///
/// @param made       the plan
/// @param latency    of each message, in its unit of time
/// @param bandwidth  bytes in that unit; 0: infinite
/// @param kind       what messages occupy
/// @throws           argument_error if they are negative or not finite
[[nodiscard]] STAGECUT_DECL transfer_times<double> transfers_of(const plan& made, double latency, double bandwidth,
                                                                transfer_kind kind = transfer_kind::link);

/// The memory limit of a rank of a plan, in bytes; unset: no limit.
[[nodiscard]] STAGECUT_DECL std::optional<double> memory_limit_of(const plan& made, std::size_t rank) noexcept;

/// Peak bytes of each device of a plan; empty if its memory is not known.
/// @throws  as `schedule_of`
[[nodiscard]] STAGECUT_DECL std::vector<double> device_memories(const plan& made);

/// Peak bytes of each stage of a plan by itself, without the other stages of its device; if it is not predicted,
/// `planned_stage::total_memory`.
/// @throws  as `schedule_of`
[[nodiscard]] STAGECUT_DECL std::vector<double> stage_memories(const plan& made);

/// The largest of the devices' peaks; 0 if unknown. Throws as `device_memories`.
[[nodiscard]] STAGECUT_DECL double fullest_device(const plan& made);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/simulate_plan.ipp>
#endif
