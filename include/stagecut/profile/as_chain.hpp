// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether a layer matters to the time and the parameters of a stage.
[[nodiscard]] STAGECUT_DECL bool costs(const layer& each);

/// Refuses a graph at a layer.
template <class... Why>
[[noreturn]] void refuse_layer(const profile& graph, std::size_t at, const Why&... why) {
  fail(invalid_input(layer_text(graph, at), joined({why...})));
}

/// The edges of a graph; refuses what is none.
[[nodiscard]] STAGECUT_DECL layer_graph edges_of(const profile& graph);

/// Two layers that cost something and no path joins, the second behind the first in an order.
struct parted_layers {
  std::size_t first = 0;
  std::size_t second = 0;  ///< the number of layers if there are none
};

/// The first such layers of an order.
[[nodiscard]] STAGECUT_DECL parted_layers find_parted_layers(const profile& graph, const layer_graph& edges,
                                                             const std::vector<std::size_t>& order);

/// Refuses an order in which a layer that costs something is not reached from the one before it that does.
STAGECUT_DECL void check_order(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order);

/// Refuses an order in which other layers stand between those of a group.
STAGECUT_DECL void check_groups(const profile& graph, const std::vector<std::size_t>& order);

/// Gives each layer of a chain but the last what crosses a cut behind it for its output: of every layer up to there
/// that feeds one behind it, the output.
STAGECUT_DECL void add_crossing(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order,
                                std::vector<layer>& chain);

/// The order in which the layers of a graph are a chain, if they are one.
[[nodiscard]] inline std::vector<std::size_t> chain_order(const profile& graph, const layer_graph& edges) {
  return edges.order([&](std::size_t v) { return costs(graph.layers[v]); });
}

}  // namespace detail

/// Whether no more than one order of the layers of a graph has to be looked at: `as_chain` makes a chain of it. What it
/// refuses as bad data, cycles say, is not told apart here: the answer is yes, so that it is asked.
/// @throws invalid_input with `edge I` for a layer that there is not
[[nodiscard]] STAGECUT_DECL bool is_chain(const profile& graph);

/// Turns a graph of layers into a chain, where every cut of the chain is one of the graph and none is lost.
///
/// A graph is a chain if its layers that take time or hold parameters, their own or shared ones, can follow each other
/// in one order only: a path leads from each to the next. Then each cut of that order is a cut of the graph, and every
/// cut of the graph has the times and parameters of one of them. Edges may skip layers. Layers that take no time and
/// hold no parameters may stand beside the path; they are put into the order as early as they can be, the least number
/// first, which touches nothing but the bytes kept and crossing a cut.
///
/// @param graph  edges in any order; also a chain, which is returned as it is, and not copied where it is moved in
/// @return       all layers in that order, without edges. The output of a layer is all that crosses a cut behind it:
///               the sum of the outputs of the layers up to it that feed one behind it; likewise for its variants, with
///               their own output in place of the layer's. The last has its own output. All else is kept
/// @throws       invalid_input with `layer I ("name")` if the graph is no chain, its edges have a cycle, other layers
///               stand between those of a group, or a sum is out of range; if it is a module tree; with `edge I` for a
///               layer that there is not
///
/// O((n + m) log n) for n layers and m edges.
[[nodiscard]] STAGECUT_DECL profile as_chain(profile graph);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/as_chain.ipp>
#endif
