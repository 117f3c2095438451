// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <stagecut/graph/boost_graph.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

template <class Source, class Graph>
concept member_of_vertices = std::is_member_object_pointer_v<Source> &&
    requires(const Source& member, const Graph& g, const vertex_t<Graph>& v) {
  g[v].*member;
};

template <class Source, class Graph>
concept function_of_vertices = std::invocable < const Source&,
        const vertex_t<Graph>
& > ;

template <class Source, class Graph>
concept array_of_vertices = std::is_pointer_v<Source> && std::integral<vertex_t<Graph>>;

template <class Source, class Graph>
concept map_of_vertices = requires(const Source& map, const vertex_t<Graph>& v) {
  get(map, v);
};

template <class Source>
concept plain_number = std::is_arithmetic_v<Source>;

/// A number or a truth value as the graph stores it; an optional number may also come from an integer or an optional.
/// @{
template <class Value, class From>
concept value_from = std::is_arithmetic_v<From> &&(!std::same_as<Value, std::size_t> || std::integral<From>);
template <class Value, class From>
concept missing_value_from = std::same_as<Value, std::size_t> && requires(const From& from) {
  { from.has_value() } -> std::convertible_to<bool>;
  requires value_from<Value, std::remove_cvref_t<decltype(*from)>>;
};
template <class Value, class From>
requires value_from<Value, From> || missing_value_from<Value, From>
[[nodiscard]] constexpr Value as_value(const From& from) {
  if constexpr (missing_value_from<Value, From>) {
    return from.has_value() ? detail::as_value<Value>(*from) : graph_operator::none;
  } else {
    if constexpr (std::same_as<Value, std::size_t> && !std::same_as<From, bool>) {
      if (from < From{}) return graph_operator::none;
      if (std::unsigned_integral<From> && from == std::numeric_limits<From>::max()) return graph_operator::none;
    }
    return static_cast<Value>(from);
  }
}
/// @}

template <class Value, class From>
concept readable_as =
    value_from<Value, std::remove_cvref_t<From>> || missing_value_from<Value, std::remove_cvref_t<From>>;

}  // namespace detail

/// A value per vertex of a Boost graph, wherever the graph stores it. Converts implicitly from
///   - a property map: `get(&op::seconds, g)`, `get(boost::vertex_color, g)`, an array by the vertices' numbers;
///   - a member of the vertex bundle: `&op::seconds`;
///   - a function of a vertex;
///   - a number: the same for all vertices.
///
/// `Value` is `double`, `bool`, or `std::size_t` for an optional number: then a negative number, the greatest of an
/// unsigned type and an empty optional are `graph_operator::none`.
template <class Graph, class Value>
class vertex_values {
 public:
  /// Has no values.
  vertex_values() = default;

  /// Reads from `source`. A map and a function are copied; what they refer to must outlive this object.
  template <class Source>
  requires(!std::same_as<std::remove_cvref_t<Source>, vertex_values>)
      vertex_values(Source source) {  // NOLINT(google-explicit-constructor)
    using vertex_type = detail::vertex_t<Graph>;
    if constexpr (detail::member_of_vertices<Source, Graph>) {
      take([source](const Graph& g, const vertex_type& v) -> decltype(auto) { return (g[v].*source); });
    } else if constexpr (detail::function_of_vertices<Source, Graph>) {
      take([source](const Graph&, const vertex_type& v) -> decltype(auto) { return std::invoke(source, v); });
    } else if constexpr (detail::plain_number<Source>) {
      take([source](const Graph&, const vertex_type&) { return source; });
    } else if constexpr (detail::array_of_vertices<Source, Graph>) {
      take([source](const Graph&, const vertex_type& v) { return source[static_cast<std::size_t>(v)]; });
    } else if constexpr (detail::map_of_vertices<Source, Graph>) {
      take([source](const Graph&, const vertex_type& v) -> decltype(auto) { return get(source, v); });
    } else {
      static_assert(!detail::known_to_boost<Graph>,
                    "this is neither a property map of the graph's vertices, nor a member of what it keeps with each "
                    "vertex, nor a function of a vertex, nor a number");
    }
  }

  /// Whether there are values.
  explicit operator bool() const noexcept { return read_ != nullptr; }

  /// The value of a vertex.
  /// @pre there are values
  [[nodiscard]] Value operator()(const Graph& g, const detail::vertex_t<Graph>& v) const { return read_(g, v); }

 private:
  template <class Read>
  void take(Read read) {
    using found_type = std::invoke_result_t<const Read&, const Graph&, const detail::vertex_t<Graph>&>;
    static_assert(detail::readable_as<Value, found_type>,
                  "what this says of a vertex is not a number; of groups and stages, not an integer");
    if constexpr (detail::readable_as<Value, found_type>) {
      read_ = [read = std::move(read)](const Graph& g, const detail::vertex_t<Graph>& v) {
        return detail::as_value<Value>(read(g, v));
      };
    }
  }

  std::function<Value(const Graph&, const detail::vertex_t<Graph>&)> read_;
};

}  // namespace stagecut::inline STAGECUT_ABI
