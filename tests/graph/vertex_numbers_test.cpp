// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/vertex_numbers.hpp>

#include <doctest/doctest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/grid_graph.hpp>

#include <cstddef>
#include <functional>

#include "adapted_graphs.hpp"
#include "../refusal.hpp"

using stagecut::detail::vertex_numbers;

namespace {

using of_vectors = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using some_of_vectors = boost::filtered_graph<of_vectors, boost::keep_all, std::function<bool(std::size_t)>>;

/// Whether each vertex has the number under which it is listed.
template <class Graph>
bool numbered_as_listed(const Graph& g, std::size_t count) {
  const vertex_numbers<Graph> number(g);
  std::size_t i = 0;
  for (auto [v, last] = vertices(g); v != last; ++v) {
    if (number(*v) != i++) return false;
  }
  return i == count && number.listed().size() == count;
}

}  // namespace

TEST_CASE("vertices have the numbers under which they are listed, whatever they are") {
  CHECK(numbered_as_listed(of_vectors(9), 9));
  CHECK(numbered_as_listed(of_vectors(), 0));
  CHECK(numbered_as_listed(boost::adjacency_list<boost::vecS, boost::listS, boost::directedS>(9), 9));
  CHECK(numbered_as_listed(boost::adjacency_list<boost::vecS, boost::setS, boost::directedS>(9), 9));
  const boost::array<std::size_t, 2> sides{{3, 4}};
  CHECK(numbered_as_listed(boost::grid_graph<2>(sides), 12));  // can be ordered, not hashed
  CHECK(numbered_as_listed(adapted::wiring{3, {}}, 3));        // nor ordered
  CHECK(numbered_as_listed(adapted::wiring{3, {}, 1'000'000'000'000}, 3));
}

TEST_CASE("an index that a list of vertices has and nobody has set is not asked for") {
  using with_index = boost::property<boost::vertex_index_t, std::size_t>;
  CHECK(numbered_as_listed(boost::adjacency_list<boost::vecS, boost::listS, boost::directedS, with_index>(9), 9));
}

TEST_CASE("few vertices of many are numbered, those left out are none") {
  const of_vectors all(100'000);
  for (const std::size_t last : {1U, 30U, 99'999U}) {
    const some_of_vectors few(all, {}, [=](std::size_t v) { return v % 2 == 1 && (v < 20 || v == last); });
    const vertex_numbers<some_of_vectors> number(few);
    REQUIRE(number.listed().size() == (last == 99'999 ? 11 : 10));
    CHECK(number(1) == 0);
    CHECK(number(19) == 9);
    CHECK(number(last) == (last == 1 ? 0 : 10));
    CHECK(number(0) == number.listed().size());
    CHECK(number(50) == number.listed().size());
    CHECK(number(200'000) == number.listed().size());
  }
}

TEST_CASE("two vertices of one index are refused") {
  CHECK(refusal<stagecut::invalid_input>([] {
          const adapted::wiring same{2, {}, 0};
          return vertex_numbers<adapted::wiring>(same).listed().size();
        }) == "vertex 1: is the same as vertex 0, or has the same index");
}
