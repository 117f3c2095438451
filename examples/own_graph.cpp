// SPDX-License-Identifier: BSL-1.0
// The stages of a custom Boost graph whose edges carry tensors: text sends two to joint, and pays for both.
//
// prints
//   conv: stage 0
//   image: stage 0
//   text: stage 1
//   joint: stage 2
//   the heaviest stage takes 9.5 s, and no partition has a lighter one than 9.5 s
#include <stagecut/graph/make_operator_graph.hpp>
#include <stagecut/graph/minimize_load.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <cstdio>

struct layer {
  const char* name;
  double seconds, kept, scratch;  // of both passes; bytes kept for the backward pass, and needed while it runs
  std::size_t stage;
};
using sent = boost::property<boost::edge_weight_t, double>;  // seconds to send an edge's tensor
using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, layer, sent>;

int main() {
  graph g;
  const layer layers[] = {{"conv", 3, 4, 1, 0}, {"image", 5, 2, 6, 0}, {"text", 7, 3, 2, 0}, {"joint", 6, 1, 3, 0}};
  for (const layer& each : layers) add_vertex(each, g);
  add_edge(0, 1, 2, g), add_edge(0, 2, 0.5, g), add_edge(1, 3, 1, g), add_edge(2, 3, 1, g), add_edge(2, 3, 0.5, g);
  const auto operators = stagecut::make_operator_graph(g, {.forward = &layer::seconds,
                                                           .activations = &layer::kept,
                                                           .workspace = &layer::scratch,
                                                           .edge_sent_seconds = get(boost::edge_weight, g)});
  const auto best = stagecut::minimize_load(operators, {.devices = 3, .load = {.memory_limit = 12}});
  if (!best) return std::puts(best.why().text().c_str()), 1;
  stagecut::put_by_vertex(g, best->assignment, get(&layer::stage, g));
  for (std::size_t v = 0; v < 4; ++v) std::printf("%s: stage %zu\n", g[v].name, g[v].stage);
  std::printf("the heaviest stage takes %g s, and no partition has a lighter one than %g s\n", best->value,
              best->bound);
}
