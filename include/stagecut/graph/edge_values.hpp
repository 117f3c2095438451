// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>

#include <stagecut/graph/boost_graph.hpp>
#include <stagecut/graph/detail/stored_values.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A number per edge of a Boost graph, wherever the graph stores it. Converts implicitly from
///   - a property map: `get(&tensor::bytes, g)`, `get(boost::edge_weight, g)`;
///   - a member of the edge bundle: `&tensor::bytes`;
///   - a function of an edge;
///   - a number: the same for all edges.
///
/// A source of another type does not compile.
template <class Graph>
class edge_values : public detail::stored_values<Graph, detail::edge_t<Graph>, double> {
  using base = detail::stored_values<Graph, detail::edge_t<Graph>, double>;

 public:
  /// Has no values.
  edge_values() = default;

  /// Reads from `source`. A map and a function are copied; what they refer to must outlive this object.
  template <class Source>
  requires(!std::same_as<std::remove_cvref_t<Source>, edge_values>)
      edge_values(Source source) {  // NOLINT(google-explicit-constructor)
    if constexpr (!base::template is_source<Source>) {
      static_assert(!detail::known_to_boost<Graph>,
                    "this is neither a property map of the graph's edges, nor a member of what it keeps with each "
                    "edge, nor a function of an edge, nor a number");
    } else {
      static_assert(base::template is_readable<Source>, "the value of an edge is not a number");
      if constexpr (base::template is_readable<Source>) base::take(source);
    }
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
