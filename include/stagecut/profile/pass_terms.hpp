// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/roofline.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// What the passes of a layer are made of: forward; backward for the gradient of the input, with what is computed again, and
/// for that of the parameters; and what comes at the end of an iteration.
struct pass_terms {
  std::vector<term> forward{};  ///< of a microbatch
  std::vector<term> input{};    ///< likewise
  std::vector<term> weight{};   ///< likewise
  std::vector<term> update{};   ///< of an iteration
};

/// Seconds of a pass: the sum of its terms.
[[nodiscard]] STAGECUT_DECL double seconds_of(const std::vector<term>& pass) noexcept;

/// Seconds of those of its terms that are of that kind.
[[nodiscard]] STAGECUT_DECL double seconds_of(const std::vector<term>& pass, term_kind kind) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/pass_terms.ipp>
#endif
