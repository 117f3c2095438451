// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for DeepSpeed: a subclass of its `PipelineModule`, or of `DualPipeVModule` with two stages per rank, that cuts
/// as the plan does; build it with as many stages as ranks. DeepSpeed has no option for cut points. Each layer is one of
/// its `layers`.
///
/// @return  lines of Python
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for other numbers of stages
///          per rank, a stage without layers, stages not assigned to devices in order, a schedule other than `1f1b` and
///          `dualpipev`
///
/// Source: DeepSpeed 0.16.5, `deepspeed/runtime/pipe/module.py`, and 0.19.8, `dualpipev.py` in the same folder; not a
/// public interface, it may change.
[[nodiscard]] STAGECUT_DECL std::string as_deepspeed(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/deepspeed.ipp>
#endif
