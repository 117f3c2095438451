// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/boost_graph.hpp>
#include <stagecut/graph/detail/stored_values.hpp>
#include <stagecut/graph/detail/vertex_numbers.hpp>
#include <stagecut/graph/edge_values.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/vertex_values.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Where a Boost graph stores its figures: for each field of `graph_operator` of that name, a property map, a member of
/// the vertex bundle, a function of a vertex, or a number; the same of edges for each field of `edge_tensor`. See
/// `vertex_values` and `edge_values`. Omitted fields keep their defaults.
///
/// With maps of vertices for what is sent, each operator has one output, which each stage of consumers receives once.
/// With maps of edges, each edge carries a tensor of its own: an output that one stage consumes twice is sent twice.
template <class Graph>
struct operator_maps {
  vertex_values<Graph, double> forward{};       ///< seconds on an accelerator
  vertex_values<Graph, double> backward{};      ///< seconds of the backward pass on an accelerator
  vertex_values<Graph, double> cpu{};           ///< seconds of both passes on a CPU
  vertex_values<Graph, double> sent_seconds{};  ///< seconds to send the output to another device
  vertex_values<Graph, double> sent_back_seconds{};  ///< seconds to send the gradient of the output back
  vertex_values<Graph, double> resident{};      ///< bytes that stay for parameters
  vertex_values<Graph, double> activations{};   ///< bytes kept from the forward to the backward pass
  vertex_values<Graph, double> workspace{};     ///< bytes needed only while it runs
  vertex_values<Graph, double> output{};        ///< bytes of the output
  vertex_values<Graph, std::size_t> group{};    ///< operators of one group are on one stage
  vertex_values<Graph, std::size_t> stage{};    ///< the stage to which it is fixed
  vertex_values<Graph, bool> on_accelerator{};  ///< whether it runs on an accelerator
  vertex_values<Graph, bool> on_cpu{};          ///< whether it runs on a CPU; left out: all do if `cpu` is given
  vertex_values<Graph, bool> is_backward{};     ///< whether it belongs to the backward pass
  edge_values<Graph> edge_sent_seconds{};       ///< seconds to send an edge's tensor to another device
  edge_values<Graph> edge_sent_back_seconds{};  ///< seconds to send the gradient of an edge's tensor back
  edge_values<Graph> edge_bytes{};              ///< bytes of an edge's tensor
};

namespace detail {

/// The edges in ascending order; of parallel edges without tensors one, and all with tensors, in the order given.
[[nodiscard]] STAGECUT_DECL std::vector<operator_edge> sorted_edges(std::vector<operator_edge> edges);

/// Rejects a figure of a vertex or an edge that is negative or not finite; `place()` names its owner.
template <class Place>
void check_part(const Place& place, const char* name, double value) {
  if (is_finite(value) && !is_negative(value)) return;
  const std::string shown = is_nan(value) ? "NaN" : is_finite(value) ? std::to_string(value) : "infinity";
  fail(invalid_input(place(), joined({name, " = ", shown, ", must be finite and not negative"})));
}

/// Reads one field of all operators.
template <class Graph, class Value>
void read_part(const Graph& g, const std::vector<vertex_t<Graph>>& listed, const vertex_values<Graph, Value>& values,
               Value graph_operator::*part, const char* name, std::vector<graph_operator>& operators) {
  if (!values) return;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Value value = values(g, listed[i]);
    if constexpr (std::same_as<Value, double>) check_part([&] { return joined({"vertex ", i}); }, name, value);
    operators[i].*part = value;
  }
}

/// Whether edges carry tensors of their own.
/// @throws argument_error if vertices have outputs as well
template <class Graph>
[[nodiscard]] bool has_tensors(const operator_maps<Graph>& maps) {
  const char* const of_edges = maps.edge_sent_seconds        ? "edge_sent_seconds"
                               : maps.edge_sent_back_seconds ? "edge_sent_back_seconds"
                               : maps.edge_bytes             ? "edge_bytes"
                                                             : nullptr;
  const char* const of_vertices = maps.sent_seconds        ? "sent_seconds"
                                  : maps.sent_back_seconds ? "sent_back_seconds"
                                  : maps.output            ? "output"
                                                           : nullptr;
  if (of_edges != nullptr && of_vertices != nullptr) {
    fail(argument_error("make_operator_graph", "maps", joined({of_vertices, " and ", of_edges}),
                        "must not both be given: an edge carries its producer's output or a tensor of its own"));
  }
  return of_edges != nullptr;
}

/// Reads the tensor of an edge; `place()` names the edge.
template <class Graph, class Place>
[[nodiscard]] edge_tensor tensor_of(const Graph& g, const edge_t<Graph>& edge, const operator_maps<Graph>& maps,
                                    const Place& place) {
  edge_tensor result;
  const auto read = [&](const edge_values<Graph>& values, double& part, const char* name) {
    if (!values) return;
    part = values(g, edge);
    check_part(place, name, part);
  };
  read(maps.edge_sent_seconds, result.sent_seconds, "edge_sent_seconds");
  read(maps.edge_sent_back_seconds, result.sent_back_seconds, "edge_sent_back_seconds");
  read(maps.edge_bytes, result.bytes, "edge_bytes");
  return result;
}

/// The edges between numbered vertices, in ascending order: each pair once, or each edge with its tensor.
template <boost_graph Graph>
[[nodiscard]] std::vector<operator_edge> numbered_edges(const Graph& g, const vertex_numbers<Graph>& number,
                                                        const operator_maps<Graph>& maps) {
  std::vector<operator_edge> result;
  const std::size_t n = number.listed().size();
  const bool tensors = has_tensors(maps);
  const auto add = [&](std::size_t from, std::size_t to, const edge_t<Graph>& edge) {
    if (from == n) fail(invalid_input(joined({"an edge to vertex ", to}), "begins at none of the graph's vertices"));
    if (to == n) fail(invalid_input(joined({"an edge of vertex ", from}), "leads to none of the graph's vertices"));
    result.push_back({from, to});
    if (!tensors) return;
    result.back().tensor = tensor_of(g, edge, maps, [&] { return joined({"edge ", from, " -> ", to}); });
  };
  if constexpr (has_out_edges<Graph>) {
    for (std::size_t i = 0; i < n; ++i) {
      auto [e, last] = out_edges(number.listed()[i], g);
      for (; e != last; ++e) {
        const edge_t<Graph> edge = *e;
        add(i, number(target(edge, g)), edge);
      }
    }
  } else {
    auto [e, last] = edges(g);
    for (; e != last; ++e) {
      const edge_t<Graph> edge = *e;
      add(number(source(edge, g)), number(target(edge, g)), edge);
    }
  }
  return sorted_edges(std::move(result));
}

/// Whether `put_by_vertex` can write a value with the map: an array, or a property map of vertices that is not const.
/// @{
template <class Map>
concept read_only_map = requires {
  requires std::is_const_v<std::remove_reference_t<typename Map::reference>>;
};
template <class Map, class Graph, class Value>
concept written_by_vertex = (array_of_keys<Map, vertex_t<Graph>> &&
                             requires(Map map, const Value& value) { *map = value; }) ||
                            (!of_other_keys<Map, vertex_t<Graph>> && !read_only_map<Map> &&
                             requires(Map map, const vertex_t<Graph>& v, const Value& value) { put(map, v, value); });
/// @}

// Names for compiler errors about calls with other arguments.
struct figures_are_given_by_name_in_braces_of_operator_maps;
struct values_of_a_boost_graph_are_put_from_a_vector_by_a_writable_map_of_its_vertices;

/// States in a readable message what a type lacks to be a graph.
template <class Graph>
constexpr void expects_boost_graph() {
  static_assert(known_to_boost<Graph>,
                "this is no Boost graph: it lacks some of the member types vertex_descriptor, edge_descriptor, "
                "directed_category, edge_parallel_category and traversal_category; if boost::graph_traits is "
                "specialised for it, specialise "
                "stagecut::has_graph_traits as true");
  if constexpr (known_to_boost<Graph>) {
    static_assert(directed_for_boost<Graph>,
                  "this graph is undirected: it does not define which of two operators takes the output of the other");
    static_assert(lists_vertices<Graph>, "this graph does not list its vertices: it is no VertexListGraph");
    static_assert(has_out_edges<Graph> || lists_edges<Graph>,
                  "this graph gives no edges: it is neither an IncidenceGraph nor an EdgeListGraph");
  }
}

}  // namespace detail

/// Makes an operator graph from a Boost graph: see `make_operator_graph`.
struct make_operator_graph_fn {
  /// @param g     a directed `boost_graph`: an edge leads from an operator to a consumer of its output
  /// @param maps  where the figures are: `{.forward = &op::seconds, .edge_bytes = get(&tensor::bytes, g)}`
  /// @return      operator i is the i-th of `vertices(g)`; edges are in ascending order. Without maps of edges, parallel
  ///              edges are merged; with such maps all are kept, each with its tensor, in the order of the graph
  /// @throws      invalid_input with `vertex I` or `edge I -> J` for figures that are negative, infinite or NaN, and
  ///              with the vertex at its one end for an edge whose other end the graph does not list; argument_error if
  ///              both vertices and edges have maps of what is sent; any exception of the maps
  ///
  /// Any other type, including an undirected graph, does not compile, nor do a map of another type and a field that
  /// `operator_maps` lacks; the compiler's message states why. Does not check for cycles. O((n + m) log m) for n
  /// vertices and m edges; each map is read once per vertex or edge.
  template <class Graph>
  [[nodiscard]] operator_graph operator()(const Graph& g, const operator_maps<Graph>& maps = {}) const {
    operator_graph result;
    detail::expects_boost_graph<Graph>();
    if constexpr (boost_graph<Graph>) {
      const detail::vertex_numbers<Graph> number(g);
      std::vector<graph_operator>& all = result.operators;
      all.resize(number.listed().size());
      const auto read = [&](const auto& values, auto part, const char* name) {
        detail::read_part(g, number.listed(), values, part, name, all);
      };
      read(maps.forward, &graph_operator::forward, "forward");
      read(maps.backward, &graph_operator::backward, "backward");
      read(maps.cpu, &graph_operator::cpu, "cpu");
      read(maps.sent_seconds, &graph_operator::sent_seconds, "sent_seconds");
      read(maps.sent_back_seconds, &graph_operator::sent_back_seconds, "sent_back_seconds");
      read(maps.resident, &graph_operator::resident, "resident");
      read(maps.activations, &graph_operator::activations, "activations");
      read(maps.workspace, &graph_operator::workspace, "workspace");
      read(maps.output, &graph_operator::output, "output");
      read(maps.group, &graph_operator::group, "group");
      read(maps.stage, &graph_operator::stage, "stage");
      read(maps.on_accelerator, &graph_operator::on_accelerator, "on_accelerator");
      read(maps.is_backward, &graph_operator::is_backward, "is_backward");
      read(maps.cpu && !maps.on_cpu ? vertex_values<Graph, bool>(true) : maps.on_cpu, &graph_operator::on_cpu,
           "on_cpu");
      result.edges = detail::numbered_edges(g, number, maps);
    }
    return result;
  }
  template <class Graph, class Other, class... Rest>
  requires(sizeof...(Rest) > 0 || !std::convertible_to<const Other&, const operator_maps<Graph>&>)
      detail::figures_are_given_by_name_in_braces_of_operator_maps            //
      operator()(const Graph&, const Other&, const Rest&...) const = delete;  // (g, {.forward = &op::seconds})
};

/// Makes an operator graph, the input of the graph algorithms, from any Boost graph:
/// `make_operator_graph(g, {.forward = &op::seconds, .sent_seconds = &op::output_seconds, .group = &op::group})`.
/// See `make_operator_graph_fn`, `operator_maps`.
inline constexpr make_operator_graph_fn make_operator_graph{};

/// Writes one result per operator back to the vertices of the graph they came from: see `put_by_vertex`.
struct put_by_vertex_fn {
  /// @param g       the graph, unchanged since the operators were made from it
  /// @param values  one per operator: the stages of a plan
  /// @param map     a writable property map of the vertices: `get(&op::stage, g)`
  /// @throws        argument_error unless there are as many values as vertices; any exception of the map
  ///
  /// O(n).
  template <boost_graph Graph, class Value, class Map>
  requires detail::written_by_vertex<Map, Graph, Value>
  void operator()(const Graph& g, const std::vector<Value>& values, Map map) const {
    const auto [first, last] = vertices(g);
    std::size_t n = 0;
    for (auto v = first; v != last; ++v) ++n;
    if (n != values.size()) {
      detail::fail(argument_error("put_by_vertex", "values.size()", std::to_string(values.size()),
                                  detail::joined({"must be the number of vertices, ", n})));
    }
    std::size_t i = 0;
    for (auto v = first; v != last; ++v) {
      if constexpr (detail::array_of_keys<Map, detail::vertex_t<Graph>>) {
        map[static_cast<std::size_t>(*v)] = values[i++];
      } else {
        put(map, *v, values[i++]);
      }
    }
  }
  template <class... Other>
  detail::values_of_a_boost_graph_are_put_from_a_vector_by_a_writable_map_of_its_vertices  //
  operator()(const Other&...) const = delete;  // put_by_vertex(g, values, get(&op::stage, g)), where g is not const
};

/// Writes one value per operator, such as its stage, to the vertices of the Boost graph they were made from:
/// `put_by_vertex(g, stages, get(&op::stage, g))`. See `put_by_vertex_fn`.
inline constexpr put_by_vertex_fn put_by_vertex{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/make_operator_graph.ipp>
#endif
