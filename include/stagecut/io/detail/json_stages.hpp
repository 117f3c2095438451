// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/plan/plan.hpp>

// The stages of a plan in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Which schema a file of a plan is of.
enum class plan_version { first, second };

/// @param layers  of the stage; null where they are no interval
STAGECUT_DECL planned_stage read_stage(const json_value& value, const interval* layers, plan_version version);

/// Turns the figures of a stage of the first version into those of one microbatch. That had the mean of its backward
/// passes, and left the gradients of the parameters to the profile.
[[nodiscard]] STAGECUT_DECL plan_fault upgrade_stage(plan& made, std::size_t s);

/// @param layers  of the stage; null where they are no interval
STAGECUT_DECL json stage_json(const planned_stage& stage, const interval* layers, const std::string& place);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_stages.ipp>
#endif
