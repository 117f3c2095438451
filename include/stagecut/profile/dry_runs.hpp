// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The peak memory of one rank, measured in a run of a model whose layers are alike.
struct rank_peak {
  std::size_t run = 0;     ///< of which run, from 0
  std::size_t rank = 0;    ///< of that run, from 0
  std::size_t layers = 0;  ///< layers of the model's body that it holds
  /// Of every choice of recomputation, how many layers it holds that are run so, each times the microbatches whose
  /// activations are kept at the peak.
  std::vector<double> kept{};
  bool has_head = false;  ///< whether it holds what comes before the body
  bool has_tail = false;  ///< whether it holds what comes behind it
  double bytes = 0;       ///< at the peak

  /// Equal in every part.
  friend bool operator==(const rank_peak&, const rank_peak&) = default;
};

/// Short runs of one model, with other numbers of layers and other choices of recomputation each, of which the memory of
/// its parts can be told.
struct dry_runs {
  std::vector<std::string> choices{};  ///< what layers may recompute: `none`, `selective`, `full`
  std::vector<rank_peak> peaks{};      ///< in any order

  /// Equal in both parts.
  friend bool operator==(const dry_runs&, const dry_runs&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
