// SPDX-License-Identifier: BSL-1.0
// A name where a number is needed.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  const char* name;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op> g;
  return stagecut::make_operator_graph(g, {.workspace = &op::name}).edges.empty() ? 0 : 1;
}
