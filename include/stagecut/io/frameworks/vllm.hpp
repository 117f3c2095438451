// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for vLLM: the environment variable that sets the number of decoders of every pipeline rank. It is for
/// inference, so no schedule is rejected.
///
/// @return  one line, `NAME=VALUE`
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for several stages per
///          device, stages not assigned to devices in order, kinds of layers other than `embedding` (on the first stage),
///          `decoder`, `norm` and `head` (on the last), a stage without decoders
///
/// Source: vLLM, `get_pp_indices` in `vllm/distributed/utils.py`.
[[nodiscard]] STAGECUT_DECL std::string as_vllm(const plan& p);

/// A plan for SGLang: as `as_vllm`, under SGLang's name.
///
/// @return  one line, `NAME=VALUE`
/// @throws  argument_error and not_representable as `as_vllm`
///
/// Source: SGLang, `get_pp_indices` in `python/sglang/srt/distributed/utils.py`.
[[nodiscard]] STAGECUT_DECL std::string as_sglang(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/vllm.ipp>
#endif
