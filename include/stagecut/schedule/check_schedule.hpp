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

/// What is wrong with a schedule and where, or nothing.
struct schedule_fault {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t rank = none;  ///< none: the schedule as a whole
  std::size_t op = none;    ///< its position on the rank; none: the rank as a whole
  std::string problem{};    ///< what is said of that; empty: all is well
};

/// The first thing that is wrong with a schedule; see `check_schedule`.
[[nodiscard]] STAGECUT_DECL schedule_fault find_fault(const schedule& all);

}  // namespace detail

/// Refuses a schedule that is not one.
///
/// @throws  invalid_input with the rank, the op's position on it (from 0) and the op: `rank 2, op 7 (3F1)`
///
/// Every stage, microbatch and slice has one F and behind it either one B, or one I and behind that one W, all of them
/// on the rank of their stage. Only an F may run with the op behind it, which is B of another microbatch. Where any
/// transfer stands, all do: for every edge between stages of different ranks a SEND behind the op whose result it
/// sends and a RECV before the op that needs it. Edges lead from stage to stage, none twice, and not round in a circle,
/// which the text shows: `its edges lead round in a circle: 1 -> 2 -> 1`. Whether the ranks wait for each other in a
/// circle is not asked: see `lower_transfers`. O(ops and edges) time, and no more bytes than there are ops, stages and
/// edges, and with transfers a byte for each edge and microbatch; a transfer is looked up among the edges of its stage.
///
/// Source: the rules by which PyTorch refuses a schedule (`torch/distributed/pipelining/schedules.py`), for slices too.
STAGECUT_DECL void check_schedule(const schedule& all);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/check_schedule.ipp>
#endif
