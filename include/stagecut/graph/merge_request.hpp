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

/// Which pair of parts becomes one first.
enum class merge_order : std::uint8_t {
  lightest,      ///< the one that is lightest together
  breadth_first  ///< from the inputs on, each pair that costs less together than apart; then the lightest
};

/// The words for orders of merging.
inline constexpr word<merge_order> merge_order_words[] = {{"lightest", merge_order::lightest},
                                                          {"breadth-first", merge_order::breadth_first}};

/// Into how many parts layers are merged: see `merge_layers`. What is not said stays at its default.
struct merge_request {
  std::size_t parts = 1;                      ///< until there are no more
  bool at_most = false;                       ///< whether fewer will do, where that makes the heaviest lighter
  merge_order order = merge_order::lightest;  ///< which become one first
  /// W of W * time + (1 - W) * memory, as shares of the graph's: that is the cost, not the load; unset: the load.
  std::optional<double> time_weight{};
  std::optional<double> most_work{};  ///< of a part, in the unit of the cost, without messages; unset: any
  load_options load{};                ///< how loads and memory are reckoned
  std::size_t most_edges = 200;       ///< that a search for another path looks at, or gives the pair up; 0: any number
  function_ref<bool()> stop{};        ///< asked now and then; true ends it without an answer
};

/// Layers merged into parts that make no cycle.
struct merged_layers {
  std::vector<std::size_t> part_of{};  ///< of every operator, from 0; edges lead to the same or a later part
  std::vector<graph_stage> parts{};    ///< their figures; none is empty
  double load = 0;                     ///< of the heaviest part
  double bound = 0;                    ///< no partition into as many parts as asked for, or fewer, has less
  std::size_t elements = 0;            ///< that no partition can part
  std::size_t given_up = 0;            ///< pairs that a search was too short for, counted each time

  /// How far the load may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (load - bound) / bound : load > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
