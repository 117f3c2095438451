// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// How many parameters a model has.
struct parameter_count {
  double total = 0;   ///< all, as in a checkpoint
  double active = 0;  ///< those that one token uses: without the experts it does not visit
  /// Parameters of the layers that predict further tokens, not in `total` or `active`; excludes embedding and head, which
  /// these layers share.
  double further = 0;
  double vision = 0;  ///< of the vision tower and its projector; also in `total` and `active`

  /// Equal in every part.
  friend bool operator==(const parameter_count&, const parameter_count&) = default;
};

/// Numbers that inference keeps of a sample, for the tokens behind it.
struct cached_count {
  double per_token = 0;  ///< of each token: keys and values of layers that see all, compressed ones, an indexer's keys
  double at_most = 0;    ///< of a long sample besides: keys and values of windows, states, tokens of convolutions

  /// Equal in every part.
  friend bool operator==(const cached_count&, const cached_count&) = default;
};

/// Counts what inference keeps of a sample with a model that `check` accepts. O(layers).
[[nodiscard]] STAGECUT_DECL cached_count count_cached(const architecture& a);

/// Counts the parameters of a model that `check` accepts. A matrix that embedding and head share counts once. Exact up to
/// 2^53. O(layers).
[[nodiscard]] STAGECUT_DECL parameter_count count_parameters(const architecture& a);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/parameters.ipp>
#endif
