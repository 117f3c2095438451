// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/vertex_values.hpp>

#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/vector_property_map.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

using stagecut::graph_operator;

namespace {

struct op {
  double seconds = 0;
  bool slow = false;
};
using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op>;
using place = stagecut::vertex_values<graph, std::size_t>;
using seconds = stagecut::vertex_values<graph, double>;
using truth = stagecut::vertex_values<graph, bool>;

double thirds(std::size_t v) { return static_cast<double>(v) / 3; }

}  // namespace

TEST_CASE("maps, arrays, members, functions and numbers say the same of a vertex") {
  graph g(3);
  boost::vector_property_map<float> map(3);
  std::vector<double> array(3);
  for (std::size_t v = 0; v < 3; ++v) {
    g[v] = {thirds(v), v == 1};
    array[v] = map[v] = static_cast<float>(v);
  }
  for (std::size_t v = 0; v < 3; ++v) {
    CHECK(seconds(get(&op::seconds, g))(g, v) == thirds(v));
    CHECK(seconds(&op::seconds)(g, v) == thirds(v));
    CHECK(seconds(thirds)(g, v) == thirds(v));
    CHECK(seconds(boost::make_function_property_map<std::size_t>(&thirds))(g, v) == thirds(v));
    CHECK(seconds(map)(g, v) == array[v]);
    CHECK(seconds(array.data())(g, v) == array[v]);
    CHECK(seconds(boost::make_iterator_property_map(array.begin(), get(boost::vertex_index, g)))(g, v) == array[v]);
    CHECK(seconds(7)(g, v) == 7);
    CHECK(truth(&op::slow)(g, v) == (v == 1));
    CHECK(truth(map)(g, v) == (v != 0));
    CHECK(place(get(boost::vertex_index, g))(g, v) == v);
  }
}

TEST_CASE("what is left out says nothing") {
  CHECK_FALSE(seconds());
  CHECK(seconds(0));
  CHECK(place(get(boost::vertex_index, graph())));
}

TEST_CASE("a group or a stage may be missing from a number") {
  const graph g(1);
  const auto group = [&](auto number) { return place(number)(g, 0); };
  CHECK(group(0) == 0);
  CHECK(group(-1) == graph_operator::none);
  CHECK(group(std::numeric_limits<long>::min()) == graph_operator::none);
  CHECK(group(std::numeric_limits<int>::max()) == 2147483647);
  CHECK(group(std::numeric_limits<unsigned>::max()) == graph_operator::none);
  CHECK(group(std::numeric_limits<unsigned>::max() - 1) == 4294967294);
  CHECK(group(graph_operator::none) == graph_operator::none);
  CHECK(group([](std::size_t) { return std::optional<int>(); }) == graph_operator::none);
  CHECK(group([](std::size_t) { return std::optional(-4); }) == graph_operator::none);
  CHECK(group([](std::size_t) { return std::optional(4); }) == 4);
  CHECK(group(true) == 1);
}
