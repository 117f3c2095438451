// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/vllm.hpp>

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

/// A plan for a server that puts embeddings on its first rank, norms and heads on its last, and takes the number of
/// decoders of each rank.
[[nodiscard]] inline std::string decoders_text(std::string_view variable, const plan& p) {
  const auto decoders = decoders_of_stages(p);
  return joined(
      {variable, "=", sequence_text(decoders.size(), ",", [&](std::size_t s) { return std::to_string(decoders[s]); })});
}

}  // namespace detail

STAGECUT_DECL std::string as_vllm(const plan& p) {
  detail::check_target("as_vllm", framework::vllm, p);
  return detail::decoders_text("VLLM_PP_LAYER_PARTITION", p);
}

STAGECUT_DECL std::string as_sglang(const plan& p) {
  detail::check_target("as_sglang", framework::sglang, p);
  return detail::decoders_text("SGLANG_PP_LAYER_PARTITION", p);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
