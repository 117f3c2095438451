// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// How many parameters a model has.
struct parameter_count {
  double total = 0;   ///< all that a checkpoint has to hold once
  double active = 0;  ///< those that a token meets: without the experts that it does not visit
  /// Of layers that guess further tokens, in neither of the others; embedding and head, which they use as well, are not
  /// in it.
  double further = 0;
  double vision = 0;  ///< of the tower in front and its projector, in both of the others

  /// Equal in every part.
  friend bool operator==(const parameter_count&, const parameter_count&) = default;
};

/// Counts the parameters of a model that `check` accepts; a matrix that embedding and head share counts once. Exact up to
/// 2^53. O(layers).
[[nodiscard]] STAGECUT_DECL parameter_count count_parameters(const architecture& a);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/parameters.ipp>
#endif
