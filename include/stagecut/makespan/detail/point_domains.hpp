// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Ranges of the inner cut points of a chain: point j, from 1 to S - 1, in `[low[j], high[j]]`.
struct point_domains {
  std::vector<std::uint32_t> low{};
  std::vector<std::uint32_t> high{};

  /// All cuts of n items into S stages.
  point_domains(std::size_t items, std::size_t stages) : low(stages), high(stages) {
    for (std::size_t j = 1; j < stages; ++j) {
      low[j] = static_cast<std::uint32_t>(j);
      high[j] = static_cast<std::uint32_t>(items - (stages - j));
    }
  }

  /// Removes positions that lie in no cut. Returns whether a cut is left.
  bool tighten() {
    const std::size_t stages = low.size();
    for (std::size_t j = 2; j < stages; ++j) low[j] = low[j] <= low[j - 1] ? low[j - 1] + 1 : low[j];
    for (std::size_t j = stages; j-- > 2;) high[j - 1] = high[j - 1] >= high[j] ? high[j] - 1 : high[j - 1];
    for (std::size_t j = 1; j < stages; ++j) {
      if (low[j] > high[j]) return false;
    }
    return true;
  }

  /// Whether exactly one cut is left.
  [[nodiscard]] bool single() const {
    for (std::size_t j = 1; j < low.size(); ++j) {
      if (low[j] != high[j]) return false;
    }
    return true;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
