// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/boost_graph.hpp>

#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/grid_graph.hpp>
#include <boost/graph/reverse_graph.hpp>

#include <string>
#include <vector>

#include "adapted_graphs.hpp"

using stagecut::boost_graph;

namespace {

template <class Directed>
using of_vectors = boost::adjacency_list<boost::vecS, boost::vecS, Directed>;
template <class Directed>
using of_lists = boost::adjacency_list<boost::listS, boost::listS, Directed>;
using in_rows = boost::compressed_sparse_row_graph<boost::directedS>;

/// Has the types of a graph, and nothing that lists its vertices.
struct types_alone {
  using vertex_descriptor = int;
  using edge_descriptor = int;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  struct traversal_category : boost::vertex_list_graph_tag, boost::incidence_graph_tag {};
};

/// Some of the types of a graph: `boost::graph_traits` of it does not compile.
struct some_types {
  using vertex_descriptor = int;
  using edge_descriptor = int;
  using directed_category = boost::directed_tag;
};

}  // namespace

TEST_CASE("directed graphs of Boost and graphs adapted to it are known by what they offer") {
  static_assert(boost_graph<of_vectors<boost::directedS>>);
  static_assert(boost_graph<of_vectors<boost::bidirectionalS>>);
  static_assert(boost_graph<of_lists<boost::directedS>>);
  static_assert(boost_graph<of_lists<boost::bidirectionalS>>);
  static_assert(boost_graph<in_rows>);
  static_assert(boost_graph<boost::adjacency_matrix<boost::directedS>>);
  static_assert(boost_graph<boost::reverse_graph<of_vectors<boost::bidirectionalS>>>);
  static_assert(boost_graph<boost::filtered_graph<of_lists<boost::directedS>, boost::keep_all>>);
  static_assert(boost_graph<boost::filtered_graph<in_rows, boost::keep_all>>);
  static_assert(boost_graph<boost::grid_graph<2>>);
  static_assert(boost_graph<adapted::net_list>);
  static_assert(boost_graph<adapted::wiring>);
}

TEST_CASE("undirected graphs and types that are no graphs are told apart without an error") {
  static_assert(!boost_graph<of_vectors<boost::undirectedS>>);
  static_assert(!boost_graph<of_lists<boost::undirectedS>>);
  static_assert(!boost_graph<boost::adjacency_matrix<boost::undirectedS>>);
  static_assert(!boost_graph<types_alone>);
  static_assert(!boost_graph<some_types>);
  static_assert(!boost_graph<std::vector<int>>);
  static_assert(!boost_graph<std::string>);
  static_assert(!boost_graph<int>);
  static_assert(!boost_graph<int*>);
}
