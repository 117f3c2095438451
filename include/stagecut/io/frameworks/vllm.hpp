// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A plan for a server that puts embeddings on its first rank, norms and heads on its last, and is told how many
/// decoders each has.
[[nodiscard]] inline std::string decoders_text(std::string_view variable, const plan& p) {
  const auto decoders = decoders_of_stages(p);
  return joined(
      {variable, "=", sequence_text(decoders.size(), ",", [&](std::size_t s) { return std::to_string(decoders[s]); })});
}

}  // namespace detail

/// A plan for vLLM: the environment variable that sets the number of decoders of every pipeline rank. It serves, so no
/// schedule is refused.
///
/// @return  one line, `NAME=VALUE`
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage out of its device's turn, kinds of layers but `embedding` (on the first stage), `decoder`,
///          `norm` and `head` (on the last), a stage without decoders
///
/// Source: vLLM, `get_pp_indices` in `vllm/distributed/utils.py`.
[[nodiscard]] inline std::string as_vllm(const plan& p) {
  detail::check_target("as_vllm", framework::vllm, p);
  return detail::decoders_text("VLLM_PP_LAYER_PARTITION", p);
}

/// A plan for SGLang: as `as_vllm`, under SGLang's name.
///
/// @return  one line, `NAME=VALUE`
/// @throws  argument_error and not_representable as `as_vllm`
///
/// Source: SGLang, `get_pp_indices` in `python/sglang/srt/distributed/utils.py`.
[[nodiscard]] inline std::string as_sglang(const plan& p) {
  detail::check_target("as_sglang", framework::sglang, p);
  return detail::decoders_text("SGLANG_PP_LAYER_PARTITION", p);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
