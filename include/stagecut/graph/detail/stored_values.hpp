// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include <stagecut/graph/boost_graph.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Where a graph stores a value for each of its vertices, or edges: `Key` is the descriptor.
/// @{
template <class Source, class Graph, class Key>
concept member_of_bundle = std::is_member_object_pointer_v<Source> &&
    requires(const Source& member, const Graph& g, const Key& key) {
  g[key].*member;
};

template <class Source, class Key>
concept function_of_key = std::invocable<const Source&, const Key&>;

/// Text is no array of values, although its characters are numbers.
template <class Source>
concept text_in_memory = std::is_same_v<Source, const char*> || std::is_same_v<Source, char*>;

template <class Source, class Key>
concept array_of_keys = std::is_pointer_v<Source> && !text_in_memory<Source> && std::integral<Key>;

// Whether `get` compiles says nothing of Boost's own maps, which accept any key.
template <class Source, class Key>
concept of_other_keys = requires {
  typename Source::key_type;
}
&&!std::convertible_to<Key, typename Source::key_type>;

template <class Source, class Key>
concept map_of_keys = !text_in_memory<Source> && !of_other_keys<Source, Key> && requires(const Source& map, const Key& key) {
  get(map, key);
};

template <class Source>
concept plain_number = std::is_arithmetic_v<Source>;
/// @}

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

/// A value for each vertex, or edge, of a graph: what `vertex_values` and `edge_values` have in common.
template <class Graph, class Key, class Value>
class stored_values {
 public:
  /// Whether there are values.
  explicit operator bool() const noexcept { return read_ != nullptr; }

  /// The value of a vertex, or edge.
  /// @pre there are values
  [[nodiscard]] Value operator()(const Graph& g, const Key& key) const { return read_(g, key); }

 protected:
  /// Has no values.
  stored_values() = default;

  /// A function of the graph and a key that reads from `source`; nothing if that is no source of values.
  template <class Source>
  [[nodiscard]] static auto reader(const Source& source) {
    if constexpr (member_of_bundle<Source, Graph, Key>) {
      return [source](const Graph& g, const Key& key) -> decltype(auto) { return (g[key].*source); };
    } else if constexpr (function_of_key<Source, Key>) {
      return [source](const Graph&, const Key& key) -> decltype(auto) { return std::invoke(source, key); };
    } else if constexpr (plain_number<Source>) {
      return [source](const Graph&, const Key&) { return source; };
    } else if constexpr (array_of_keys<Source, Key>) {
      return [source](const Graph&, const Key& key) { return source[static_cast<std::size_t>(key)]; };
    } else if constexpr (map_of_keys<Source, Key>) {
      return [source](const Graph&, const Key& key) -> decltype(auto) { return get(source, key); };
    }
  }

  template <class Source>
  using reader_t = decltype(reader(std::declval<const Source&>()));

  /// Whether a source has values of any type.
  template <class Source>
  static constexpr bool is_source = !std::is_void_v<reader_t<Source>>;

  /// Whether they convert to `Value`.
  template <class Source>
  static constexpr bool is_readable =
      readable_as<Value, std::invoke_result_t<const reader_t<Source>&, const Graph&, const Key&>>;

  /// Reads from `source` from now on.
  template <class Source>
  void take(const Source& source) {
    read_ = [read = reader(source)](const Graph& g, const Key& key) { return as_value<Value>(read(g, key)); };
  }

 private:
  std::function<Value(const Graph&, const Key&)> read_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
