// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Adds the ops that send and receive, in an order in which no two ranks wait for each other.
///
/// @param all  without transfers; with them it is returned as it is
/// @return     the same ops in the same orders, and for every edge between stages of different ranks SEND directly
///             behind the op whose result it sends (behind both, where two run together) and RECV before the op that
///             needs it; what one op sends is in the order of the edges
/// @throws     invalid_input if `check_schedule` refuses it, or if ranks wait for each other in a circle, which the
///             text shows: `deadlock: 1F0 on rank 1 waits for 0F0 on rank 0, which stands behind 0B0, which waits …`
///
/// The ranks take turns, each issuing its next op if what that needs was issued. An op of a whole stage, as UNSHARD, needs
/// nothing, and takes a turn like any other. A receipt is added to its rank when it
/// is sent, so that every rank receives in the order of the sends. O(ops) turns of p ranks at most; one turn for each
/// step of the pipeline if all ops take equally long.
///
/// Source: PyTorch, `_add_send_recv` in `torch/distributed/pipelining/schedules.py`: the same order op for op.
[[nodiscard]] STAGECUT_DECL schedule lower_transfers(const schedule& all);

/// Makes one B of every I with the W of the same stage, microbatch and slice directly behind it.
///
/// A whole backward pass computes what both need only once, so that it takes less time than the two.
[[nodiscard]] STAGECUT_DECL schedule merge_backward(const schedule& all);

/// Lets stage 0 run B where it ran W, and nothing where it ran I: as PyTorch runs it, whatever its order says, since no
/// gradient leaves the model's input.
[[nodiscard]] STAGECUT_DECL schedule whole_first_stage(const schedule& all);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/lower_transfers.ipp>
#endif
