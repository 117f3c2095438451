// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/graph/load_options.hpp>
#include <stagecut/graph/load_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Which pair of parts is merged first.
enum class merge_order : std::uint8_t {
  lightest,      ///< the one whose merged part is lightest
  breadth_first  ///< from the inputs on, each pair that costs less together than apart; then the lightest
};

/// The words for orders of merging.
inline constexpr word<merge_order> merge_order_words[] = {{"lightest", merge_order::lightest},
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
  function_ref<bool()> stop{};        ///< polled now and then; true ends it without an answer
};

/// Layers merged into parts that form no cycle.
struct merged_layers {
  std::vector<std::size_t> part_of{};  ///< part of each operator, from 0; edges lead to the same or a later part
  std::vector<graph_stage> parts{};    ///< their figures; none is empty
  double load = 0;                     ///< of the heaviest part
  double bound = 0;                    ///< no partition into the requested number of parts, or fewer, has less
  std::size_t elements = 0;            ///< number of indivisible elements
  std::size_t given_up = 0;            ///< searches for another path that were given up

  /// Relative gap between the load and the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (load - bound) / bound : load > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
