// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The measured peak memory of one rank, in a run of a model with identical layers.
struct rank_peak {
  std::size_t run = 0;     ///< index of the run, from 0
  std::size_t rank = 0;    ///< rank in that run, from 0
  std::size_t layers = 0;  ///< layers of the model's body that the rank holds
  /// For each choice of recomputation: the rank's layers with this choice, each times the microbatches whose activations
  /// are kept at the peak.
  std::vector<double> kept{};
  bool has_head = false;  ///< whether it holds what comes before the body
  bool has_tail = false;  ///< whether it holds what comes after the body
  double bytes = 0;       ///< at the peak

  /// Equal in every part.
  friend bool operator==(const rank_peak&, const rank_peak&) = default;
};

/// Short runs of one model that differ in the number of layers and the recomputation, from which the memory of the
/// model's parts can be computed.
struct dry_runs {
  std::vector<std::string> choices{};  ///< recomputations of a layer: `none`, `selective`, `full`
  std::vector<rank_peak> peaks{};      ///< in any order

  /// Equal in both parts.
  friend bool operator==(const dry_runs&, const dry_runs&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
