// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A layered graph whose paths are candidates: a node writes some numbers of the candidates that pass through it.
struct path_graph {
  /// A number that no node of a step writes.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::size_t points = 0;               ///< numbers of a candidate
  std::size_t width = 1;                ///< numbers that a node writes, at most
  std::vector<std::uint32_t> places{};  ///< `[step * width + j]`: which number of the candidate that is, or `nowhere`
  std::vector<std::uint32_t> values{};  ///< `[node * width + j]`: what the node writes there
  std::vector<std::uint32_t> first{};   ///< of every node, its first edge; and one more: the number of edges
  std::vector<std::uint32_t> to{};      ///< of every edge, the node that it leads to, of the next step

  /// Equal in every part.
  friend bool operator==(const path_graph&, const path_graph&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
