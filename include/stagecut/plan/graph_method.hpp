// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How a graph is cut.
enum class graph_method : std::uint8_t {
  automatic,      ///< by down-sets if they are few, else by linear orders
  down_sets,      ///< by all down-sets of operators (order ideals): exact
  linear,         ///< by linear orders, each cut exactly
  by_levels,      ///< by many orders along the graph's length, and moves: for thousands of operators and more
  merge,          ///< by merging layers bottom-up, then moving single ones
  communication,  ///< for the least communication between balanced devices: `minimize_communication`
  modules,        ///< by devices for the modules of a tree: `plan_modules`
};

/// The words for methods on the command line and in requests.
inline constexpr named<graph_method> graph_method_names[] = {
    {"auto", graph_method::automatic}, {"down-sets", graph_method::down_sets},
    {"linear", graph_method::linear},  {"multilevel", graph_method::by_levels},
    {"merge", graph_method::merge},    {"communication", graph_method::communication}};

}  // namespace stagecut::inline STAGECUT_ABI
