// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether any op is a transfer.
[[nodiscard]] STAGECUT_DECL bool has_transfers(const schedule& all) noexcept;

/// The pass of another kind of the same stage, microbatch and slice, as text.
[[nodiscard]] inline std::string op_text(op_kind kind, const op& of) {
  return to_string(op{kind, of.stage, of.microbatch, of.slice});
}

/// The first fault of a schedule and its place, or nothing.
struct schedule_fault {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t rank = none;  ///< none: the whole schedule
  std::size_t op = none;    ///< its position on the rank; none: the whole rank
  std::string problem{};    ///< describes the fault; empty: no fault
};

/// Finds the first fault of a schedule; see `check_schedule`.
[[nodiscard]] STAGECUT_DECL schedule_fault find_fault(const schedule& all);

}  // namespace detail

/// Checks that a schedule is valid.
///
/// @throws  invalid_input with the rank, the op's position on it (from 0) and the op: `rank 2, op 7 (3F1)`
///
/// Every stage, microbatch and slice has one F, followed by either one B, or one I and a later W, all on the rank of
/// their stage. Only an F may run together with the next op, which is B of another microbatch. If any transfer is
/// present, all are: each edge between stages of different ranks has a SEND after the op that produces the result and a
/// RECV before the op that needs it. Edges connect stages, are unique and form no cycle; the error shows a cycle: `its
/// edges form a cycle: 1 -> 2 -> 1`. Cyclic waits between ranks are not checked: see `lower_transfers`. O(ops
/// + edges) time; at most ops + stages + edges bytes, and with transfers a byte per edge and microbatch; a transfer is
/// looked up among the edges of its stage.
///
/// Source: the rules by which PyTorch rejects a schedule (`torch/distributed/pipelining/schedules.py`), for slices too.
STAGECUT_DECL void check_schedule(const schedule& all);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/check_schedule.ipp>
#endif
