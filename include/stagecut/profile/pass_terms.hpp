// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/roofline.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// The terms of a layer's passes: forward; backward for the gradient of the input, with recomputation; backward for the
/// gradient of the parameters; and the end of an iteration.
struct pass_terms {
  std::vector<term> forward{};  ///< of a microbatch
  std::vector<term> input{};    ///< of a microbatch
  std::vector<term> weight{};   ///< of a microbatch
  std::vector<term> update{};   ///< of an iteration
};

/// Seconds of a pass: the sum of its terms.
[[nodiscard]] STAGECUT_DECL double seconds_of(const std::vector<term>& pass) noexcept;

/// Seconds of its terms of that kind.
[[nodiscard]] STAGECUT_DECL double seconds_of(const std::vector<term>& pass, term_kind kind) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/pass_terms.ipp>
#endif
