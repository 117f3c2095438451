// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for PipeDream's runtime: the JSON with the stage of every module of the converted model and the ranks of every
/// stage. The converter generates one module per stage and then the loss, which is on the last stage. `as_stage_map`
/// lists the layers of a stage.
///
/// @return  an object on one line
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for several stages per
///          device, a stage without layers, layers shared by several devices, chosen recomputation, a schedule other than
///          `1f1b`
///
/// Source: PipeDream (SOSP 2019), `runtime/runtime.py`, and the `hybrid_conf.json` files there.
[[nodiscard]] STAGECUT_DECL std::string as_pipedream_conf(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/pipedream_conf.ipp>
#endif
