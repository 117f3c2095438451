// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for PipeDream's runtime: the JSON that tells the stage of every module of the model that its converter makes, a
/// module a stage and then the loss, which is on the last one, and the ranks of every stage. Which layers a stage has
/// `as_stage_map` tells.
///
/// @return  an object of one line
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a device, a
///          stage without layers, layers shared by several devices, chosen recomputation, a schedule but `1f1b`
///
/// Source: PipeDream (SOSP 2019), `runtime/runtime.py`, and the `hybrid_conf.json` files there.
[[nodiscard]] STAGECUT_DECL std::string as_pipedream_conf(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pipedream_conf.ipp>
#endif
