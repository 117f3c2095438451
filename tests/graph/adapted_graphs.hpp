// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/graph/boost_graph.hpp>

/// Graphs of a user's own, made Boost graphs by members, traits and free functions: each offers no more than it has to.
namespace adapted {

struct cell {
  double delay;
  float drive;
  int region;
};

/// Lists its edges alone; a vertex is a pointer, and has no index.
struct net_list {
  using vertex_descriptor = const cell*;
  using edge_descriptor = const std::pair<const cell*, const cell*>*;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::vertex_list_graph_tag, boost::edge_list_graph_tag {};

  std::vector<std::unique_ptr<cell>> cells{};
  std::vector<std::pair<const cell*, const cell*>> wires{};

  void add(double delay, float drive, int region) {
    cells.push_back(std::make_unique<cell>(cell{delay, drive, region}));
  }
  void join(std::size_t from, std::size_t to) { wires.emplace_back(cells[from].get(), cells[to].get()); }

  /// An input iterator: what it points to is gone when it moves.
  struct cell_iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = const cell*;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = const cell*;
    const std::unique_ptr<cell>* at;
    const cell* operator*() const { return at->get(); }
    cell_iterator& operator++() { return ++at, *this; }
    void operator++(int) { ++at; }
    friend bool operator==(cell_iterator a, cell_iterator b) { return a.at == b.at; }
  };
  struct wire_iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = edge_descriptor;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = edge_descriptor;
    edge_descriptor at;
    edge_descriptor operator*() const { return at; }
    wire_iterator& operator++() { return ++at, *this; }
    void operator++(int) { ++at; }
    friend bool operator==(wire_iterator a, wire_iterator b) { return a.at == b.at; }
  };
};

inline std::pair<net_list::cell_iterator, net_list::cell_iterator> vertices(const net_list& g) {
  return {{g.cells.data()}, {g.cells.data() + g.cells.size()}};
}
inline std::pair<net_list::wire_iterator, net_list::wire_iterator> edges(const net_list& g) {
  return {{g.wires.data()}, {g.wires.data() + g.wires.size()}};
}
inline const cell* source(net_list::edge_descriptor e, const net_list&) { return e->first; }
inline const cell* target(net_list::edge_descriptor e, const net_list&) { return e->second; }

/// A property map of its vertices.
struct region_map {
  using key_type = const cell*;
  using value_type = int;
  using reference = int;
  using category = boost::readable_property_map_tag;
};
inline int get(region_map, const cell* v) { return v->region; }

/// A vertex that can be neither hashed nor ordered.
struct pin {
  std::size_t number;
};

/// Tells the edges that leave a vertex, and an index; adapted by `boost::graph_traits` alone.
struct wiring {
  std::size_t pins;
  std::vector<std::pair<std::size_t, std::size_t>> wires;
  std::size_t step = 1;  // from one index to the next

  struct pin_iterator {
    std::size_t at;
    pin operator*() const { return {at}; }
    pin_iterator& operator++() { return ++at, *this; }
    friend bool operator==(pin_iterator a, pin_iterator b) { return a.at == b.at; }
  };
  struct out_iterator {
    const wiring* of;
    std::size_t from;
    std::size_t at;
    const std::pair<std::size_t, std::size_t>* operator*() const { return &of->wires[at]; }
    out_iterator& operator++() {
      do {
        ++at;
      } while (at < of->wires.size() && of->wires[at].first != from);
      return *this;
    }
    friend bool operator==(out_iterator a, out_iterator b) { return a.at == b.at; }
  };
};

inline std::pair<wiring::pin_iterator, wiring::pin_iterator> vertices(const wiring& g) { return {{0}, {g.pins}}; }
inline std::pair<wiring::out_iterator, wiring::out_iterator> out_edges(pin v, const wiring& g) {
  return {++wiring::out_iterator{&g, v.number, static_cast<std::size_t>(-1)}, {&g, v.number, g.wires.size()}};
}
inline pin target(const std::pair<std::size_t, std::size_t>* e, const wiring&) { return {e->second}; }
inline std::size_t get(boost::vertex_index_t, const wiring& g, pin v) { return v.number * g.step; }

}  // namespace adapted

template <>
struct boost::graph_traits<adapted::wiring> {
  using vertex_descriptor = adapted::pin;
  using edge_descriptor = const std::pair<std::size_t, std::size_t>*;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::vertex_list_graph_tag, boost::incidence_graph_tag {};
};
template <>
inline constexpr bool stagecut::has_graph_traits<adapted::wiring> = true;
