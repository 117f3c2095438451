// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_graph.hpp>

#include <cstddef>
#include <cstdint>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void hybrid_graph::index() {
  first.assign(nodes.size() + 1, 0);
  for (const edge& each : edges) ++first[each.from + 1];
  for (std::size_t u = 0; u < nodes.size(); ++u) first[u + 1] += first[u];
}

STAGECUT_DECL void hybrid_graph::compact() {
  number_.resize(nodes.size());
  std::size_t kept = 0;
  for (std::size_t u = 0; u < nodes.size(); ++u) {
    if (alive_[u] != 2) continue;
    number_[u] = static_cast<std::uint32_t>(kept);
    nodes[kept++] = nodes[u];
  }
  nodes.resize(kept);
  for (edge& each : edges) each.from = number_[each.from], each.to = number_[each.to];
  index();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
