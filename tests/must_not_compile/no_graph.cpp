// SPDX-License-Identifier: BSL-1.0
// Operators are no graph of operators.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct op {
  double seconds;
};

int main() {
  const op g[2]{{1}, {2}};
  return stagecut::make_operator_graph(g, {.forward = &op::seconds}).edges.empty() ? 0 : 1;
}
