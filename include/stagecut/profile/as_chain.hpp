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

/// Whether a layer takes time or holds parameters.
[[nodiscard]] STAGECUT_DECL bool costs(const layer& each);

/// Throws `invalid_input` at a layer of a graph.
template <class... Why>
[[noreturn]] void refuse_layer(const profile& graph, std::size_t at, const Why&... why) {
  fail(invalid_input(layer_text(graph, at), joined({why...})));
}

/// The edges of a graph.
/// @throws invalid_input if they are invalid
[[nodiscard]] STAGECUT_DECL layer_graph edges_of(const profile& graph);

/// Two layers with a cost that no path joins; `second` follows `first` in an order.
struct parted_layers {
  std::size_t first = 0;
  std::size_t second = 0;  ///< the number of layers if there are none
};

/// The first such pair in an order.
[[nodiscard]] STAGECUT_DECL parted_layers find_parted_layers(const profile& graph, const layer_graph& edges,
                                                             const std::vector<std::size_t>& order);

/// Throws if a layer with a cost cannot be reached from the previous layer with a cost.
STAGECUT_DECL void check_order(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order);

/// Throws if a layer of another group stands inside a group.
STAGECUT_DECL void check_groups(const profile& graph, const std::vector<std::size_t>& order);

/// Replaces the output of each layer but the last by what crosses a cut behind it: the outputs of all layers up to it
/// that feed a later one.
STAGECUT_DECL void add_crossing(const profile& graph, const layer_graph& edges, const std::vector<std::size_t>& order,
                                std::vector<layer>& chain);

/// The order in which the layers of a graph form a chain, if they do.
[[nodiscard]] inline std::vector<std::size_t> chain_order(const profile& graph, const layer_graph& edges) {
  return edges.order([&](std::size_t v) { return costs(graph.layers[v]); });
}

}  // namespace detail

/// Whether `as_chain` is the way to treat this graph: its layers have at most one candidate order. Also true for invalid
/// graphs (cycles, for example), which `as_chain` then rejects.
/// @throws invalid_input with `edge I` for an edge with a nonexistent layer
[[nodiscard]] STAGECUT_DECL bool is_chain(const profile& graph);

/// Turns a graph of layers into a chain with the same cuts: every cut of the chain is a cut of the graph, and none is
/// lost.
///
/// A graph is a chain if its layers that take time or hold parameters, their own or shared ones, can follow each other in
/// one order only: a path leads from each to the next. Then each cut of that order is a cut of the graph, and every cut
/// of the graph has the times and parameters of one of them. Edges may skip layers. Layers that take no time and hold no
/// parameters may stand off the path; each is placed as early as possible, the least number first, which affects only the
/// bytes kept and crossing a cut.
///
/// @param graph  edges in any order; a chain is returned as it is, without a copy if it is moved in
/// @return       all layers in that order, without edges. The output of a layer is all that crosses a cut after it: the
///               sum of the outputs of the layers up to it that feed a later one. Its variants use their own output in
///               place of the layer's. The last layer keeps its output. All else is kept
/// @throws       invalid_input with `layer I ("name")` if the graph is not a chain, its edges have a cycle, layers of
///               other groups stand inside a group, or a sum is out of range; if it is a module tree; with `edge I` for
///               an edge with a nonexistent layer
///
/// O((n + m) log n) for n layers and m edges.
[[nodiscard]] STAGECUT_DECL profile as_chain(profile graph);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/as_chain.ipp>
#endif
