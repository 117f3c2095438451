// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/config.hpp>

#include <boost/graph/graph_traits.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Specialise as `true` for a graph type that is adapted to Boost by a specialisation of `boost::graph_traits` and
/// lacks the member types `vertex_descriptor`, `edge_descriptor`, `directed_category`, `edge_parallel_category` and
/// `traversal_category`. Only these distinguish a graph from other types: `boost::graph_traits` of a type that is not a
/// graph does not compile.
template <class Graph>
inline constexpr bool has_graph_traits = false;

namespace detail {

/// Whether `boost::graph_traits` is defined for the type.
template <class Graph>
concept known_to_boost = has_graph_traits<Graph> || requires {
  typename Graph::vertex_descriptor;
  typename Graph::edge_descriptor;
  typename Graph::directed_category;
  typename Graph::edge_parallel_category;
  typename Graph::traversal_category;
};

/// Whether its edges are directed.
template <class Graph>
concept directed_for_boost =
    std::convertible_to<typename boost::graph_traits<Graph>::directed_category, boost::directed_tag>;

/// Whether its traversal category derives from `Tag`, a tag of Boost.
template <class Graph, class Tag>
concept of_category = std::convertible_to<typename boost::graph_traits<Graph>::traversal_category, Tag>;

/// Whether it lists its vertices.
template <class Graph>
concept lists_vertices = of_category<Graph, boost::vertex_list_graph_tag> && requires(const Graph& g) {
  { *vertices(g).first } -> std::convertible_to<typename boost::graph_traits<Graph>::vertex_descriptor>;
  { vertices(g).first != vertices(g).second } -> std::convertible_to<bool>;
};

/// Whether it lists the out-edges of a vertex. One pass over them suffices, as for Boost's own `adjacency_list`.
template <class Graph>
concept has_out_edges = of_category<Graph, boost::incidence_graph_tag> &&
    requires(const Graph& g, typename boost::graph_traits<Graph>::vertex_descriptor v) {
  { target(*out_edges(v, g).first, g) } -> std::convertible_to<decltype(v)>;
  { out_edges(v, g).first != out_edges(v, g).second } -> std::convertible_to<bool>;
};

/// Whether it lists its edges.
template <class Graph>
concept lists_edges = of_category<Graph, boost::edge_list_graph_tag> && requires(const Graph& g) {
  { source(*edges(g).first, g) } -> std::convertible_to<typename boost::graph_traits<Graph>::vertex_descriptor>;
  { target(*edges(g).first, g) } -> std::convertible_to<typename boost::graph_traits<Graph>::vertex_descriptor>;
  { edges(g).first != edges(g).second } -> std::convertible_to<bool>;
};

/// The vertex type of a graph; `std::nullptr_t` for any other type.
template <class Graph>
struct vertex_of {
  using type = std::nullptr_t;
};
template <known_to_boost Graph>
struct vertex_of<Graph> {
  using type = typename boost::graph_traits<Graph>::vertex_descriptor;
};
template <class Graph>
using vertex_t = typename vertex_of<Graph>::type;

/// The edge type of a graph; `std::nullptr_t` for any other type.
template <class Graph>
struct edge_of {
  using type = std::nullptr_t;
};
template <known_to_boost Graph>
struct edge_of<Graph> {
  using type = typename boost::graph_traits<Graph>::edge_descriptor;
};
template <class Graph>
using edge_t = typename edge_of<Graph>::type;

}  // namespace detail

/// A directed Boost graph, or a type adapted to Boost, whose vertices and edges can be listed.
///
/// Requirements on `const Graph& g`: in Boost's terms, a VertexListGraph that is an IncidenceGraph or an EdgeListGraph:
///   `vertices(g)`                                      the vertices, as a pair of iterators
///   `out_edges(v, g)`, `target(e, g)`                  the out-edges of a vertex and the head of an edge; or
///   `edges(g)`, `source(e, g)`, `target(e, g)`         all edges and their ends
///
/// Input iterators suffice; `num_vertices` and a `vertex_index` are not needed. Parallel edges count once unless
/// edges carry tensors: see `make_operator_graph`.
template <class Graph>
concept boost_graph = detail::known_to_boost<Graph> && detail::directed_for_boost<Graph> &&
    detail::lists_vertices<Graph> &&(detail::has_out_edges<Graph> || detail::lists_edges<Graph>);

}  // namespace stagecut::inline STAGECUT_ABI
