// SPDX-License-Identifier: BSL-1.0
// A name where the size of an edge's tensor is needed.
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

struct tensor {
  const char* name;
};

int main() {
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, tensor> g;
  return stagecut::make_operator_graph(g, {.edge_bytes = &tensor::name}).edges.empty() ? 0 : 1;
}
