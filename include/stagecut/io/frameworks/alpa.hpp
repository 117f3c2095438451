// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for Alpa: the option that gives the layers of every stage by number, each stage a mesh of devices of one host, of
/// replicas by shards. The layers are those that its layer option makes: as many as the plan's.
///
/// @return  one line of Python
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `1f1b` and `gpipe`
///
/// Source: L. Zheng et al., OSDI 2022; `ManualStageOption` in `alpa/pipeline_parallel/stage_construction.py`.
[[nodiscard]] STAGECUT_DECL std::string as_alpa(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/alpa.ipp>
#endif
