// SPDX-License-Identifier: BSL-1.0
// A member of something else than the vertices.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  double seconds;
};

struct edge {
  double seconds;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op, edge> g;
  return stagecut::make_operator_graph(g, {.sent_seconds = &edge::seconds}).edges.empty() ? 0 : 1;
}
