// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/plan/sweep_row.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Writes the rows of a sweep as comma-separated values (RFC 4180, lines end with LF), with a header:
///
/// | column                                          | holds                                                          |
/// | ----------------------------------------------- | -------------------------------------------------------------- |
/// | `devices`, `microbatches`, `schedule`, `stages_per_rank` | the configuration                                     |
/// | `checkpoint`                                    | recomputation: `never`, `except_last`, `always`                |
/// | `state`                                         | `optimal`, `feasible`, `infeasible`, `unknown`                 |
/// | `makespan`, `bound`, `per_microbatch`           | seconds                                                        |
/// | `memory`, `memory_bound`                        | bytes of the fullest device                                    |
/// | `front`, `dominated`                            | 1 or 0                                                         |
/// | `why`                                           | why there is no plan                                           |
///
/// Unknown values are empty: makespan, time per microbatch and memory of a row without a plan. Numbers read back bit for
/// bit; a line break in a text becomes a space.
[[nodiscard]] STAGECUT_DECL std::string sweep_csv(view<const sweep_row> rows);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sweep_csv.ipp>
#endif
