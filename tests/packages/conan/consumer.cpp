// SPDX-License-Identifier: BSL-1.0
// Built against the package, with every component that was asked for.
#include <stagecut/stagecut.hpp>
#ifdef WITH_io
#include <stagecut/io/read_profile.hpp>
#endif
#ifdef WITH_graph
#include <stagecut/graph/make_operator_graph.hpp>

#include <boost/graph/adjacency_list.hpp>
#endif
#ifdef WITH_fit
#include <stagecut/fit/fit_link.hpp>
#endif
#ifdef WITH_search
#include <stagecut/search/best.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/stage_objective.hpp>

#include <thrust/execution_policy.h>
#endif

#ifdef WITH_compiled
#ifndef STAGECUT_COMPILED
#error "the component compiled does not choose its form"
#endif
#endif

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> seconds{0.4, 1.1, 1.1, 1.1, 1.1, 2.7};
#ifdef WITH_io
  seconds = stagecut::io::parse_profile("time\n0.4\n1.1\n1.1\n1.1\n1.1\n2.7\n", "list").times();
#endif
  const auto best = stagecut::minimize_bottleneck(stagecut::prefix_sums(seconds), 3);
  std::printf("cut at %zu %zu", best->cuts[1], best->cuts[2]);
#ifdef WITH_graph
  const boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> g(2);
  std::printf(", %zu operators", stagecut::make_operator_graph(g).operators.size());
#endif
#ifdef WITH_fit
  std::printf(", link %.1f", stagecut::fit_link({{0, 1}, {8, 5}}).link(4));
#endif
#ifdef WITH_search
  const auto found = stagecut::search::best(thrust::seq, stagecut::search::all_cuts(seconds.size(), 3),
                                            stagecut::search::stage_objective(stagecut::prefix_sums(seconds)));
  std::printf(", searched %.1f", found->score.value);
#endif
#ifdef WITH_compiled
  stagecut::check_schedule(stagecut::one_forward_one_backward(3, 6));
  std::printf(", compiled");
#endif
  std::printf("\n");
}
