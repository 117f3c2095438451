// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for torchtitan: the option that lists the modules of every stage. Stages are assigned to devices round-robin.
///
/// @return  a line, valid as an assignment in Python and in TOML; if the plan has a schedule, also the degree and the
///          schedule: `schedule.csv` is a file with the output of `as_torch_schedule`, if PyTorch has no class for it
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for a stage without layers,
///          stages not assigned to devices round-robin, a module whose name is empty, not UTF-8 or repeated, parameters
///          shared between stages
///
/// Source: torchtitan, `torchtitan/distributed/pipeline_parallel.py`.
[[nodiscard]] STAGECUT_DECL std::string as_torchtitan(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torchtitan.ipp>
#endif
