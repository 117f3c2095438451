// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/boost_graph.hpp>

#include <boost/graph/properties.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

template <class Vertex>
concept hashed_vertex = std::equality_comparable<Vertex> && requires(const Vertex& v) {
  { std::hash<Vertex>()(v) } -> std::convertible_to<std::size_t>;
};

template <class Vertex>
concept ordered_vertex = requires(const Vertex& v) {
  { v < v } -> std::convertible_to<bool>;
};

template <class Graph>
concept indexed_graph = requires(const Graph& g, vertex_t<Graph> v) {
  { get(boost::vertex_index, g, v) } -> std::convertible_to<std::size_t>;
};

/// Numbers the vertices of a graph from 0, in the order in which it lists them, for any vertex type. The graph's own
/// index is used only if a vertex can be neither hashed nor ordered: the index of a filtered graph has gaps, and that
/// of a list of vertices may never have been set.
///
/// O(1) each as a rule; O(log n) if vertices can only be ordered.
template <boost_graph Graph>
class vertex_numbers {
 public:
  using vertex_type = vertex_t<Graph>;
  static constexpr bool is_key = hashed_vertex<vertex_type> || ordered_vertex<vertex_type>;

  /// @throws invalid_input if two vertices are the same, or have the same index
  explicit vertex_numbers(const Graph& g) : graph_(&g) {
    if constexpr (!is_key) {
      static_assert(indexed_graph<Graph>,
                    "the vertices of this graph can be neither hashed nor ordered, and it has no vertex_index");
    }
    const auto [first, last] = vertices(g);
    for (auto v = first; v != last; ++v) listed_.push_back(*v);
    if constexpr (std::integral<vertex_type>) fill_table();
    if (!table_.empty()) return;
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const auto [at, added] = numbers_.emplace(key(listed_[i]), i);
      if (!added) refuse(i, at->second);
    }
  }

  /// The vertices by their numbers.
  [[nodiscard]] const std::vector<vertex_type>& listed() const noexcept { return listed_; }

  /// The number of a vertex; the number of vertices if it is not one of them.
  [[nodiscard]] std::size_t operator()(const vertex_type& v) const {
    if constexpr (std::integral<vertex_type>) {
      if (!table_.empty()) {
        const auto at = static_cast<std::size_t>(v);
        return at < table_.size() ? table_[at] : listed_.size();
      }
    }
    const auto found = numbers_.find(key(v));
    return found == numbers_.end() ? listed_.size() : found->second;
  }

 private:
  using key_type = std::conditional_t<is_key, vertex_type, std::size_t>;

  template <class Key>
  struct table_of {
    using type = std::map<Key, std::size_t>;
  };
  template <hashed_vertex Key>
  struct table_of<Key> {
    using type = std::unordered_map<Key, std::size_t>;
  };

  [[nodiscard]] key_type key(const vertex_type& v) const {
    if constexpr (is_key) {
      return v;
    } else {
      return static_cast<std::size_t>(get(boost::vertex_index, *graph_, v));
    }
  }

  /// For small numbers, as most graphs have; not for custom ids.
  void fill_table() {
    std::size_t behind = 0;
    for (const vertex_type v : listed_) {
      const auto at = static_cast<std::size_t>(v);
      if (at > 8 * listed_.size() + 64) return;
      behind = at < behind ? behind : at + 1;
    }
    table_.assign(behind, listed_.size());
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      std::size_t& number = table_[static_cast<std::size_t>(listed_[i])];
      if (number != listed_.size()) refuse(i, number);
      number = i;
    }
  }

  [[noreturn]] static void refuse(std::size_t i, std::size_t before) {
    fail(invalid_input(joined({"vertex ", i}), joined({"is the same as vertex ", before, ", or has the same index"})));
  }

  const Graph* graph_;
  std::vector<vertex_type> listed_;
  std::vector<std::size_t> table_;  // for vertices that are small numbers; empty otherwise
  typename table_of<key_type>::type numbers_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
