// SPDX-License-Identifier: BSL-1.0
// A Boost graph of one's own, cut so that the heaviest stage is as light as possible.
#include <stagecut/graph/make_operator_graph.hpp>
#include <stagecut/graph/minimize_load.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <cstdio>

namespace {

struct op {
  double seconds, output;
};
using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, op>;

}  // namespace

int main() {
  graph g(4);
  for (const std::size_t v : {0, 1, 2, 3}) g[v] = {1 + static_cast<double>(v), 1};
  for (const std::size_t v : {1, 2}) add_edge(0, v, g), add_edge(v, 3, g);
  const auto best = stagecut::minimize_load(stagecut::make_operator_graph(g, {.forward = &op::seconds, .sent_seconds = &op::output}), {.devices = 2});
  if (!best) return std::puts(best.why().text().c_str()), 1;
  std::printf("%zu\n", best->stages.size());
}
