// SPDX-License-Identifier: BSL-1.0
// Nothing says what takes what.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  double seconds;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, op> g;
  return stagecut::make_operator_graph(g, {.forward = &op::seconds}).edges.empty() ? 0 : 1;
}
