// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>

#include <stagecut/graph/boost_graph.hpp>
#include <stagecut/graph/detail/stored_values.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A value per vertex of a Boost graph, wherever the graph stores it. Converts implicitly from
///   - a property map: `get(&op::seconds, g)`, `get(boost::vertex_color, g)`, an array by the vertices' numbers;
///   - a member of the vertex bundle: `&op::seconds`;
///   - a function of a vertex;
///   - a number: the same for all vertices.
///
/// `Value` is `double`, `bool`, or `std::size_t` for an optional number: then a negative number, the greatest of an
/// unsigned type and an empty optional are `graph_operator::none`. A source of another type does not compile.
template <class Graph, class Value>
class vertex_values : public detail::stored_values<Graph, detail::vertex_t<Graph>, Value> {
  using base = detail::stored_values<Graph, detail::vertex_t<Graph>, Value>;

 public:
  /// Has no values.
  vertex_values() = default;

  /// Reads from `source`. A map and a function are copied; what they refer to must outlive this object.
  template <class Source>
  requires(!std::same_as<std::remove_cvref_t<Source>, vertex_values>)
      vertex_values(Source source) {  // NOLINT(google-explicit-constructor)
    if constexpr (!base::template is_source<Source>) {
      static_assert(!detail::known_to_boost<Graph>,
                    "this is neither a property map of the graph's vertices, nor a member of what it keeps with each "
                    "vertex, nor a function of a vertex, nor a number: give &op::seconds or get(&op::seconds, g)");
    } else {
      static_assert(base::template is_readable<Source>,
                    "the value of a vertex is not a number; of groups and stages, not an integer");
      if constexpr (base::template is_readable<Source>) base::take(source);
    }
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
