// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/io/frameworks/torch_letters.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// What a schedule for PyTorch names.
enum class torch_format : std::uint8_t {
  compute_only,  ///< passes; PyTorch adds the rest when it reads them
  compute_comms  ///< transfers, and what is done with sharded parameters, too
};

/// How a schedule for PyTorch names an I with its W directly behind it.
enum class torch_backward : std::uint8_t {
  merged,   ///< as one B, which takes less time: PyTorch runs what the file says
  as_given  ///< as I and W
};

/// For which PyTorch `compute_comms` is written.
enum class torch_version : std::uint8_t {
  v2_9,  ///< up to about that, which knows no waits: transfers and what the schedule has else
  /// Since about that: WAIT_SEND_F or WAIT_SEND_B at the end of a rank for each of its sends, and REDUCE_GRAD, with which
  /// gradients are averaged over microbatches, with its WAIT_REDUCE_GRAD behind the last backward pass of every stage, unless
  /// the schedule has REDUCE_GRAD itself.
  v2_15
};

/// Reads a schedule of PyTorch's `torch.distributed.pipelining`, with or without transfers.
///
/// @param text     a line a rank, of cells between commas: `2F0`, `1SEND_B3`, `1UNSHARD`, `(0F7;7B3)OVERLAP_F_B`; an
///                 empty cell is a step without an op, and is left out, as is a WAIT for what stands before it
/// @param source   what errors call the text
/// @param letters  those of the file
/// @param limits   how much is read
/// @return         a schedule without a name that `check_schedule` accepts; placement and number of microbatches are
///                 those of the ops
/// @throws         invalid_input with `SOURCE:LINE` and the cell, from 1; with `SOURCE` beyond the limit
[[nodiscard]] STAGECUT_DECL schedule parse_torch_schedule(std::string_view text, std::string_view source,
                                                          torch_letters letters = torch_letters::current,
                                                          const read_limits& limits = {});

namespace detail {

/// Whether each stage feeds the next one alone, with edges that say so or without any.
[[nodiscard]] STAGECUT_DECL bool is_chain(const schedule& all);

}  // namespace detail

/// Writes a schedule for PyTorch's `torch.distributed.pipelining`, in the current letters.
///
/// @param all       the schedule; `compute_only` leaves out its transfers, and what is done with sharded parameters
/// @param format    with `compute_comms`, transfers are added as by `lower_transfers` if it has none
/// @param backward  of I and W without a pass between them
/// @param version   who reads `compute_comms`; nothing else depends on it
/// @return          a line a rank, without empty cells
/// @throws          invalid_input if `check_schedule` or `lower_transfers` refuses the schedule; not_representable for
///                  slices of a microbatch, edges of stages that are no chain, a rank without a stage and, in
///                  `compute_comms`, an optimizer's step
///
/// Source: PyTorch, `_load_csv` and `_dump_csv` of `_PipelineScheduleRuntime`; waits as of 2.15.
[[nodiscard]] STAGECUT_DECL std::string as_torch_schedule(const schedule& all,
                                                          torch_format format = torch_format::compute_only,
                                                          torch_backward backward = torch_backward::merged,
                                                          torch_version version = torch_version::v2_15);

/// Refuses an order that PyTorch would run wrong: with I and W apart of a stage behind stage 0 whose layers lose gradients
/// then, as no gradient leaves one of them by its input, or two share parameters, or one has `whole_backward`.
///
/// @param made   the plan whose stages it runs
/// @param order  what is run, which may be another one than the plan's
/// @throws       not_representable with the stage and the layer
STAGECUT_DECL void check_torch_order(const plan& made, const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torch_schedule.ipp>
#endif
