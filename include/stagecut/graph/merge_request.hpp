// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Which pair of parts is merged first.
enum class merge_order : std::uint8_t {
  lightest,      ///< the one whose merged part is lightest
  breadth_first  ///< from the inputs on, each pair that costs less together than apart; then the lightest
};

/// The words for orders of merging.
inline constexpr named<merge_order> merge_order_names[] = {{"lightest", merge_order::lightest},
                                                           {"breadth-first", merge_order::breadth_first}};

/// Into how many parts layers are merged: see `merge_layers`. Unset fields keep their defaults.
struct merge_request {
  std::size_t parts = 1;                      ///< the requested number of parts
  bool at_most = false;                       ///< whether fewer are allowed where that makes the heaviest lighter
  merge_order order = merge_order::lightest;  ///< which pair is merged first
  /// W of the cost W * time + (1 - W) * memory, both as shares of the graph's; unset: the cost is the load.
  std::optional<double> time_weight{};
  std::optional<double> most_work{};  ///< limit of a part, in the unit of the cost, without messages; unset: any
  load_options load{};                ///< how loads and memory are computed
  std::size_t most_edges = 200;       ///< edges that a search for another path visits before it gives up; 0: no limit
  search_options search{};            ///< `stop` ends it without an answer; the others have no effect
};

/// Layers merged into parts that form no cycle.
struct merged_layers : solution<double> {
  std::vector<std::size_t> assignment{};  ///< part of each operator, from 0; edges lead to the same or a later part
  std::vector<graph_stage> parts{};    ///< their figures; none is empty
  std::size_t elements = 0;            ///< number of indivisible elements
  std::size_t given_up = 0;            ///< searches for another path that were given up
};

}  // namespace stagecut::inline STAGECUT_ABI
