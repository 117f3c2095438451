// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for the model parallel library of SageMaker: its parameters, and for every stage the context in which to build
/// the modules named in a comment. What it calls an interleaved pipeline is `1f1b`.
///
/// @return  lines of Python; without parameters for a schedule and microbatches that the plan does not specify
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for several stages per
///          device, a stage without layers, stages not assigned to devices in order, a schedule other than `1f1b` and
///          `gpipe`, parameters shared between stages
///
/// Source: Amazon SageMaker Python SDK, `doc/api/training/smd_model_parallel_general.rst`; C. Karakus et al.,
/// arXiv:2111.05972, 2021.
[[nodiscard]] STAGECUT_DECL std::string as_sagemaker(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sagemaker.ipp>
#endif
