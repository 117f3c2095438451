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

/// The content of a schedule for PyTorch.
enum class torch_format : std::uint8_t {
  compute_only,  ///< passes; PyTorch adds the rest when it reads them
  compute_comms  ///< also transfers and the operations on sharded parameters
};

/// How a schedule for PyTorch writes an I directly followed by its W.
enum class torch_backward : std::uint8_t {
  merged,   ///< as one B, which takes less time: PyTorch runs what the file specifies
  as_given  ///< as I and W
};

/// The PyTorch version for which `compute_comms` is written.
enum class torch_version : std::uint8_t {
  v2_9,  ///< up to about 2.9, without waits: transfers and the other ops of the schedule
  /// From about 2.15: WAIT_SEND_F or WAIT_SEND_B at the end of a rank for each of its sends, and REDUCE_GRAD, which
  /// averages gradients over microbatches, with its WAIT_REDUCE_GRAD after the last backward pass of every stage, unless
  /// the schedule itself has REDUCE_GRAD.
  v2_15
};

/// Reads a schedule of PyTorch's `torch.distributed.pipelining`, with or without transfers.
///
/// @param text     a line per rank, of cells between commas: `2F0`, `1SEND_B3`, `1UNSHARD`, `(0F7;7B3)OVERLAP_F_B`; an
///                 empty cell is a step without an op and is omitted, as is a WAIT for a preceding op
/// @param source   its name in errors
/// @param letters  those of the file
/// @param limits   limits on the input
/// @return         a schedule without a name that `check_schedule` accepts; placement and number of microbatches follow
///                 from the ops
/// @throws         invalid_input with `SOURCE:LINE` and the cell, from 1; with `SOURCE` beyond the limit
[[nodiscard]] STAGECUT_DECL schedule parse_torch_schedule(std::string_view text, std::string_view source,
                                                          torch_letters letters = torch_letters::current,
                                                          const read_limits& limits = {});

namespace detail {

/// Whether each stage feeds only the next, with explicit edges or without any.
[[nodiscard]] STAGECUT_DECL bool is_chain(const schedule& all);

}  // namespace detail

/// Writes a schedule for PyTorch's `torch.distributed.pipelining`, in the current letters.
///
/// @param all       the schedule; `compute_only` omits its transfers and the operations on sharded parameters
/// @param format    with `compute_comms`, transfers are added as by `lower_transfers` if it has none
/// @param backward  how to write I and W without a pass between them
/// @param version   the version that reads `compute_comms`; nothing else depends on it
/// @return          a line per rank, without empty cells
/// @throws          invalid_input if `check_schedule` or `lower_transfers` rejects the schedule; not_representable for
///                  slices of a microbatch, stages that do not form a chain, a rank without a stage and, in
///                  `compute_comms`, an optimizer step
///
/// Source: PyTorch, `_load_csv` and `_dump_csv` of `_PipelineScheduleRuntime`; waits as of 2.15.
[[nodiscard]] STAGECUT_DECL std::string as_torch_schedule(const schedule& all,
                                                          torch_format format = torch_format::compute_only,
                                                          torch_backward backward = torch_backward::merged,
                                                          torch_version version = torch_version::v2_15);

/// Rejects a schedule that PyTorch would run incorrectly: with separate I and W of a stage after stage 0 whose layers
/// would lose gradients, since no gradient leaves one of them through its input, two share parameters, or one has
/// `whole_backward`.
///
/// @param made   the plan that defines the stages
/// @param order  the schedule that runs, possibly different from the plan's
/// @throws       not_representable with the stage and the layer
STAGECUT_DECL void check_torch_order(const plan& made, const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torch_schedule.ipp>
#endif
