// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for torchtitan: the option that lists the modules of every stage. The devices take the stages in turn.
///
/// @return  a line, an assignment in Python and in TOML; where the plan has a schedule, the degree and the schedule, too:
///          `schedule.csv` is a file for what `as_torch_schedule` writes, where PyTorch has no class for it
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for a stage without
///          layers, a stage out of its device's turn, a module whose name is empty, is no UTF-8 or stands
///          twice, parameters shared between stages
///
/// Source: torchtitan, `torchtitan/distributed/pipeline_parallel.py`.
[[nodiscard]] STAGECUT_DECL std::string as_torchtitan(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torchtitan.ipp>
#endif
