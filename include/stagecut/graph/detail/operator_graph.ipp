// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/operator_graph.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL std::string operator_text(const operator_graph& graph, std::size_t v) {
  if (v >= graph.names.size() || graph.names[v].empty()) return joined({"operator ", v});
  return joined({"operator ", v, " (", in_quotes(graph.names[v]), ")"});
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
