// SPDX-License-Identifier: BSL-1.0
// A map of the vertices where one of the edges is needed.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  double bytes;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op> g;
  return stagecut::make_operator_graph(g, {.edge_bytes = get(&op::bytes, g)}).edges.empty() ? 0 : 1;
}
