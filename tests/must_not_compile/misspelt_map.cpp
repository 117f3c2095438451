// SPDX-License-Identifier: BSL-1.0
// A field that the maps do not have.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  double seconds;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op> g;
  return stagecut::make_operator_graph(g, {.forwards = &op::seconds}).edges.empty() ? 0 : 1;
}
