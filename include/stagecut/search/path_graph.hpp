// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A layered graph whose paths are candidates: each node writes some elements of the candidates that pass through it.
struct path_graph {
  /// An index for elements that no node of a step writes.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::size_t points = 0;               ///< elements of a candidate
  std::size_t width = 1;                ///< the most elements that a node writes
  std::vector<std::uint32_t> places{};  ///< `[step * width + j]`: index of the element in the candidate, or `nowhere`
  std::vector<std::uint32_t> values{};  ///< `[node * width + j]`: the value that the node writes there
  std::vector<std::uint32_t> first{};   ///< first edge of every node; and one more: the number of edges
  std::vector<std::uint32_t> to{};      ///< target node of every edge, in the next step

  /// Equality of all members.
  friend bool operator==(const path_graph&, const path_graph&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
