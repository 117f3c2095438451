// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/words.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How a graph is cut.
enum class graph_method : std::uint8_t {
  automatic,      ///< by down-sets while they are few, else by linear orders
  down_sets,      ///< by all sets of operators that hold the predecessors of what they hold: exact
  linear,         ///< by linear orders, each of which is cut exactly
  by_levels,      ///< by many orders of all operators, along which the graph is long, and moves: for thousands and more
  merge,          ///< by merging layers from below, and moves of single ones after that
  communication,  ///< so that least is handed over between balanced devices: `minimize_communication`
};

/// The words for methods on the command line and in requests.
inline constexpr word<graph_method> graph_method_words[] = {{"auto", graph_method::automatic},
                                                            {"down-sets", graph_method::down_sets},
                                                            {"linear", graph_method::linear},
                                                            {"multilevel", graph_method::by_levels},
                                                            {"merge", graph_method::merge},
                                                            {"communication", graph_method::communication}};

}  // namespace stagecut::inline STAGECUT_ABI
