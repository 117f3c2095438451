// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for DeepSpeed: a subclass of its `PipelineModule` that cuts as the plan does, to be built with one stage a
/// device. No option of `PipelineModule` takes cut points. Each layer is one of its `layers`.
///
/// @return  five lines of Python
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `1f1b`
///
/// Source: DeepSpeed 0.16.5, `deepspeed/runtime/pipe/module.py`; not a public interface, it may change.
[[nodiscard]] STAGECUT_DECL std::string as_deepspeed(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/deepspeed.ipp>
#endif
