// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for Alpa: the option that lists the layers of every stage by number, each stage a mesh of devices of one host,
/// replicas times shards. The layers are those that its layer option creates: their number must match the plan.
///
/// @return  one line of Python
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for several stages per
///          device, a stage without layers, stages not assigned to devices in order, a schedule other than `1f1b` and
///          `gpipe`
///
/// Source: L. Zheng et al., OSDI 2022; `ManualStageOption` in `alpa/pipeline_parallel/stage_construction.py`.
[[nodiscard]] STAGECUT_DECL std::string as_alpa(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/alpa.ipp>
#endif
