// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for the model parallel library of SageMaker: its parameters, and for every stage the context in which the
/// modules named in a comment are to be built. What it calls an interleaved pipeline is `1f1b`.
///
/// @return  lines of Python; the parameters without the schedule and the microbatches that the plan does not know
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `1f1b` and `gpipe`,
///          parameters shared between stages
///
/// Source: Amazon SageMaker Python SDK, `doc/api/training/smd_model_parallel_general.rst`; C. Karakus et al.,
/// arXiv:2111.05972, 2021.
[[nodiscard]] STAGECUT_DECL std::string as_sagemaker(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sagemaker.ipp>
#endif
